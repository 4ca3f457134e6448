import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sealRun, sealUnsealed } from '../../../../src/activities/rows/seal-run.js';
import { reviewRows } from '../../../../src/activities/publish/review-rows.js';
import type { RunState } from '../../../../src/domain/run/run-states.js';
import { verifyRecord } from '../../../../src/domain/provenance/verify-record.js';
import { SWEEP_MIN_AGE_MS } from '../../../../src/domain/upkeep/sweep-decisions.js';
import { sampleHome } from '../../../support/host/sample-home.js';
import { READER, signerOf } from '../../../support/provenance/sealed-run.js';
import { ID, shownProposal, SLUG } from '../../../support/supervise/shown.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useDatabase } from '../../../support/webhook/use-database.js';

const NOW = 1_700_000_000_000;
const OLD = NOW - SWEEP_MIN_AGE_MS;
const signer = signerOf();
const OPEN: RunState = { kind: 'open', slug: null, phase: 'running', host: 'h1', hasRun: true };

/** Over a real database. */
describe('the rows of runs, looked through for a host', () => {
  const database = useDatabase();
  /** By workflow, if not open. */
  let states: Record<string, RunState>;
  let warned: object[];
  let blobs: Record<string, string>;
  let removed: string[];
  let whileAsked: () => Promise<void>;

  beforeEach(async () => {
    states = {};
    [warned, blobs, removed] = [[], {}, []];
    whileAsked = () => Promise.resolve();
  });

  const review = () =>
    reviewRows(
      {
        ...sampleHome(
          {
            database: database(),
            blobs: {
              put: () => assert.fail('nothing is kept'),
              getText: (ref) => Promise.resolve(blobs[ref] ?? ''),
            },
            clock: { now: () => NOW },
            forgeFor: () => assert.fail('no forge is asked'),
          },
          { dayBudget: { turns: 1, tokens: 1, microUsd: 1 } },
        ),
        signer,
        auditLog: { append: () => Promise.resolve() },
        proposalFiles: {
          write: () => Promise.reject(new Error('nothing is written')),
          remove: (slug, id) => Promise.resolve(void removed.push(`${slug}/${id}`)),
        },
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
    await database().forgeState.upsert(stateRow({ updatedAt: NOW }));
    await database().forgeState.upsert(stateRow({ issueNumber: 13, host: 'h2' }));
    await database().forgeState.upsert(stateRow({ issueNumber: 14, status: 'destroyed' }));
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
      await database().forgeState.upsert(row);
      states[row.workflowId] = state;
      const { slug, workflowId } = row;
      const { repaired } = await review();
      assert.deepEqual(repaired, [{ slug, what: 'row_repaired', outcome: 'done', detail }]);
      assert.deepEqual(await database().forgeState.ofRun(slug), {
        ...row,
        ...{ status: 'destroyed', phase: 'destroyed', reason: null },
        ...{ destroyedAt: endedAt, updatedAt: NOW },
      });
      assert.deepEqual(warned, [{ slug, workflowId, detail }]);
    });

  it('say so with the seal of its end: its record is whole, also where an earlier version left it without', async () => {
    const row = stateRow({ updatedAt: OLD, status: 'frozen', phase: 'frozen', reason: 'done' });
    const verdict = async (slug: string) => {
      const [record] = await database().provenance.records([slug]);
      assert.ok(record !== undefined);
      const { ended, problems } = verifyRecord(record, READER);
      return { ended, problems };
    };
    const left = stateRow({ issueNumber: 13, status: 'destroyed', phase: 'destroyed' });
    for (const one of [row, left]) {
      const { slug } = one;
      await database().forgeState.upsert(one);
      await database().runs.appendTurn({ slug, turn: 1, event: 'begun', at: 1, detail: {} });
      await sealRun(database(), signer, { slug, reason: 'frozen', at: OLD });
    }
    states[row.workflowId] = { kind: 'gone' };
    await review();
    assert.deepEqual(await verdict(row.slug), { ended: true, problems: [] });

    assert.equal((await verdict(left.slug)).problems.length, 1);
    await sealUnsealed(database(), signer, NOW);
    assert.deepEqual(await verdict(left.slug), { ended: true, problems: [] });
  });

  it('leave no proposal of a lost run waiting, nor are they held up by one that cannot be read', async () => {
    const row = stateRow({ slug: SLUG, updatedAt: OLD });
    await database().forgeState.upsert(row);
    states[row.workflowId] = { kind: 'gone' };
    const { workflowId } = row;
    const proposal = {
      workflowId,
      slug: SLUG,
      tool: 'pipelock-block',
      turn: 1,
      at: 5,
      origin: 'agent',
    } as const;
    await database().proposals.add({ ...proposal, id: ID, ref: 'a'.repeat(64) });
    await database().proposals.add({ ...proposal, id: randomUUID(), ref: 'b'.repeat(64) });
    blobs['a'.repeat(64)] = JSON.stringify(shownProposal());
    assert.equal((await review()).repaired.length, 1);
    assert.deepEqual(
      (await database().proposals.ofRun(SLUG)).map(({ decision }) => [decision?.status, decision?.who]),
      [
        ['cancelled', 'bot-bottle'],
        ['cancelled', 'bot-bottle'],
      ],
    );
    assert.deepEqual(removed, [`${SLUG}/${ID}`]);
    assert.equal(warned.length, 2);
  });

  it('stay as they are while a workflow goes on or cannot be asked, and when they are newer than a sweep looks at', async () => {
    for (const [issueNumber, updatedAt] of [
      [12, OLD],
      [13, OLD],
      [14, OLD + 1],
    ] as const)
      await database().forgeState.upsert(stateRow({ issueNumber, updatedAt }));
    states['gitea:alice/demo#13'] = { kind: 'unknown', why: 'busy', away: false };
    states['gitea:alice/demo#14'] = { kind: 'gone' };
    assert.deepEqual((await review()).repaired, []);
    assert.equal((await database().forgeState.living()).length, 3);
  });

  const MEANWHILE = { 'was written': { updatedAt: OLD + 1 }, 'has ended': { status: 'destroyed' } } as const;
  for (const [what, change] of Object.entries(MEANWHILE))
    it(`stay as they are when a run ${what} while its workflow was asked for`, async () => {
      const row = stateRow({ updatedAt: OLD });
      await database().forgeState.upsert(row);
      states[row.workflowId] = { kind: 'gone' };
      whileAsked = () => database().forgeState.upsert({ ...row, ...change });
      assert.deepEqual((await review()).repaired, []);
      assert.deepEqual(await database().forgeState.ofRun(row.slug), { ...row, ...change });
      assert.deepEqual(warned, []);
    });
});
