import assert from 'node:assert/strict';
import { lookUpRuns } from '../../../../src/activities/sweep/look-up-runs.js';
import type { RunState, RunStates } from '../../../../src/domain/run/run-states.js';
import type { FoundRun } from '../../../../src/domain/upkeep/sweep.js';

const CLOSED: RunState = { kind: 'closed', at: 5 };

describe('what Temporal says of the runs on a host', () => {
  let asked: string[];
  beforeEach(() => (asked = []));

  const found = (slug: string, workflowId: string | null): FoundRun => ({
    ...{ slug, workflowId, subject: null, branch: null, secretsAt: null },
    ...{ containers: [], volumes: [], directory: null, hasTranscript: false, pinned: false, expected: false },
  });
  const states = (
    of: (workflowId: string) => RunState,
    claimedBy: RunStates['claimedBy'] = () => Promise.resolve(undefined),
  ): RunStates => ({
    of: (workflowId) => {
      asked.push(workflowId);
      return Promise.resolve(of(workflowId));
    },
    claimedBy,
  });

  it('is the state of the workflow whose it is', async () => {
    const { runs, away } = await lookUpRuns(
      states(() => CLOSED),
      [found('one', 'w1'), found('two', 'w2')],
    );
    assert.deepEqual(
      runs.map(({ slug, workflowId, state }) => [slug, workflowId, state.kind]),
      [
        ['one', 'w1', 'closed'],
        ['two', 'w2', 'closed'],
      ],
    );
    assert.deepEqual([away, asked], [false, ['w1', 'w2']]);
  });

  it('is that of a workflow that claims it where nobody else knows', async () => {
    const claims = (slug: string): Promise<string> => Promise.resolve(`claims ${slug}`);
    const { runs } = await lookUpRuns(
      states(() => CLOSED, claims),
      [found('one', null)],
    );
    assert.deepEqual([runs[0]?.workflowId, runs[0]?.state], ['claims one', CLOSED]);
  });

  it('is that nobody has it where none claims it', async () => {
    const { runs, away } = await lookUpRuns(
      states(() => assert.fail('whose?')),
      [found('one', null)],
    );
    assert.deepEqual([runs[0]?.workflowId, runs[0]?.state, away], [null, { kind: 'gone' }, false]);
  });

  it('is unknown, in few words, where the list cannot be read', async () => {
    const { runs, away } = await lookUpRuns(
      states(
        () => CLOSED,
        () => Promise.reject(new Error('x'.repeat(1_000))),
      ),
      [found('one', null), found('two', 'w2')],
    );
    assert.deepEqual(
      runs.map(({ state }) => state),
      [{ kind: 'unknown', why: 'x'.repeat(300), away: false }, CLOSED],
    );
    assert.equal(away, false);
  });

  it('is not asked for any more once Temporal is away', async () => {
    const many = Array.from({ length: 20 }, (_, at) => found(`run-${String(at)}`, `w${String(at)}`));
    const { runs, away } = await lookUpRuns(
      states(() => ({ kind: 'unknown', why: 'no connection', away: true })),
      many,
    );
    assert.equal(away, true);
    assert.ok(asked.length <= 4, `${String(asked.length)} were asked for`);
    assert.ok(runs.every(({ state }) => state.kind === 'unknown' && state.away));
    assert.equal(runs.length, 20);
  });

  it('is asked for on, where only one workflow cannot be asked', async () => {
    const { runs, away } = await lookUpRuns(
      states((id) => (id === 'w1' ? { kind: 'unknown', why: 'too slow', away: false } : CLOSED)),
      [found('one', 'w1'), found('two', 'w2')],
    );
    assert.deepEqual([away, runs[1]?.state], [false, CLOSED]);
  });
});
