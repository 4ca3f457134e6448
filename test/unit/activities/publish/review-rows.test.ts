import assert from 'node:assert/strict';
import { reviewRows } from '../../../../src/activities/publish/review-rows.js';
import { openDatabase } from '../../../../src/adapters/sqlite/open-database.js';
import type { RunState } from '../../../../src/domain/run/run-states.js';
import type { Database } from '../../../../src/domain/run/stores.js';
import { SWEEP_MIN_AGE_MS } from '../../../../src/domain/upkeep/sweep-decisions.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const NOW = 1_700_000_000_000;
const OLD = NOW - SWEEP_MIN_AGE_MS;
const OPEN: RunState = { kind: 'open', slug: null, phase: 'running', host: 'h1', hasRun: true };

/** Over a real database. */
describe('the rows of runs, looked through for a host', () => {
  const newPath = useNewPaths();
  let database: Database;
  /** By workflow, if not open. */
  let states: Record<string, RunState>;
  let warned: object[];
  let whileAsked: () => Promise<void>;

  beforeEach(async () => {
    database = await openDatabase(newPath());
    states = {};
    warned = [];
    whileAsked = () => Promise.resolve();
  });
  afterEach(() => database.close());

  const review = () =>
    reviewRows(
      {
        database,
        clock: { now: () => NOW },
        log: { info: () => undefined, warn: (fields) => void warned.push(fields) },
        runStates: {
          of: async (workflowId) => {
            await whileAsked();
            return states[workflowId] ?? OPEN;
          },
          claimedBy: () => Promise.resolve(undefined),
        },
      },
      'h1',
    );

  it('say what lives there', async () => {
    await database.forgeState.upsert(stateRow({ updatedAt: NOW }));
    await database.forgeState.upsert(stateRow({ issueNumber: 13, host: 'h2' }));
    await database.forgeState.upsert(stateRow({ issueNumber: 14, status: 'destroyed' }));
    const { expected, repaired } = await review();
    assert.deepEqual(expected, [
      {
        slug: 'coder-alice-demo-12-abc12',
        workflowId: 'gitea:alice/demo#12',
        branch: 'bot-bottle/12-abc12',
        subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
      },
    ]);
    assert.deepEqual(repaired, []);
  });

  const ENDS: Readonly<Record<string, readonly [RunState, endedAt: number, detail: string]>> = {
    'has ended': [{ kind: 'closed', at: NOW - 7 }, NOW - 7, 'its workflow ended without destroying it'],
    'Temporal has lost': [{ kind: 'gone' }, OLD, 'Temporal has no such workflow any more'],
  };
  for (const [how, [state, endedAt, detail]] of Object.entries(ENDS))
    it(`say that a run is destroyed whose workflow ${how}`, async () => {
      const row = stateRow({ updatedAt: OLD, reason: 'done', host: 'h2' });
      await database.forgeState.upsert(row);
      states[row.workflowId] = state;
      const { slug, workflowId } = row;
      const { repaired } = await review();
      assert.deepEqual(repaired, [{ slug, what: 'row_repaired', outcome: 'done', detail }]);
      assert.deepEqual(await database.forgeState.ofRun(slug), {
        ...row,
        ...{ status: 'destroyed', phase: 'destroyed', reason: null },
        ...{ destroyedAt: endedAt, updatedAt: NOW },
      });
      assert.deepEqual(warned, [{ slug, workflowId, detail }]);
    });

  it('stay as they are while a workflow goes on or cannot be asked, and when they are newer than a sweep looks at', async () => {
    for (const [issueNumber, updatedAt] of [
      [12, OLD],
      [13, OLD],
      [14, OLD + 1],
    ] as const)
      await database.forgeState.upsert(stateRow({ issueNumber, updatedAt }));
    states['gitea:alice/demo#13'] = { kind: 'unknown', why: 'busy', away: false };
    states['gitea:alice/demo#14'] = { kind: 'gone' };
    assert.deepEqual((await review()).repaired, []);
    assert.equal((await database.forgeState.living()).length, 3);
  });

  const MEANWHILE = { 'was written': { updatedAt: OLD + 1 }, 'has ended': { status: 'destroyed' } } as const;
  for (const [what, change] of Object.entries(MEANWHILE))
    it(`stay as they are when a run ${what} while its workflow was asked for`, async () => {
      const row = stateRow({ updatedAt: OLD });
      await database.forgeState.upsert(row);
      states[row.workflowId] = { kind: 'gone' };
      whileAsked = () => database.forgeState.upsert({ ...row, ...change });
      assert.deepEqual((await review()).repaired, []);
      assert.deepEqual(await database.forgeState.ofRun(row.slug), { ...row, ...change });
      assert.deepEqual(warned, []);
    });
});
