import assert from 'node:assert/strict';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import type { RecordTurnInput, RunSnapshot } from '../../../../src/activities/ports/inputs.js';
import {
  recordCommand,
  recordEnd,
  recordState,
  recordTurn,
} from '../../../../src/activities/rows/record-rows.js';
import { LocalBlobStore } from '../../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../../src/adapters/sqlite/open-database.js';
import type { Statement } from '../../../../src/domain/provenance/seal.js';
import type { ForgeStateRow } from '../../../../src/domain/run/rows.js';
import type { Database } from '../../../../src/domain/run/stores.js';
import { settledTurn, SUBJECT, turnResult } from '../../../support/machine/world.js';
import { UNSIGNED } from '../../../support/provenance/unsigned.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const SLUG = 'coder-alice-demo-12-abc12';
const RUN = { workflowId: 'gitea:alice/demo#12', repoId: 7, subject: SUBJECT, slug: SLUG, turn: 1 };
const NOW = 9_000;
const FROZEN: RunSnapshot = { phase: 'frozen', reason: 'done', host: 'h2', prNumber: null };
const OPERATION = { id: 'o1', at: 5, operation: 'read_issue', target: '#12', outcome: 'ok', text: 'read' };

/** The real activities over a real database. */
describe('the rows of a run', () => {
  const newPath = useNewPaths();
  let database: Database;
  let ports: HomePorts;

  beforeEach(async () => {
    const home = newPath();
    const blobs = new LocalBlobStore(home);
    database = await openDatabase(`${home}.db`);
    ports = { database, blobs, clock: { now: () => NOW }, ...UNSIGNED } as unknown as HomePorts;
    await database.forgeState.upsert(stateRow({ slug: SLUG }));
  });
  afterEach(async () => {
    await database.close();
  });

  const row = async (): Promise<ForgeStateRow> => {
    const found = await database.forgeState.ofRun(SLUG);
    assert.ok(found !== undefined);
    return found;
  };
  const ended = (change: Partial<RecordTurnInput> = {}): RecordTurnInput => ({
    ...RUN,
    result: turnResult(),
    settled: settledTurn(),
    reason: 'done',
    snapshot: FROZEN,
    watchdogFired: false,
    ...change,
  });

  describe('when a turn has ended', () => {
    it('say how it ended, what it left, where, and how the run stands now', async () => {
      const egressRef = await ports.blobs.put('{"refused":["example.org"]}');
      const input = ended({
        result: turnResult({ exitCode: 143, finishedAt: 8_000, lastCheckinAt: 7_000, egressRef }),
        settled: settledTurn({ head: 'c'.repeat(40) }),
        reason: 'watchdog',
        snapshot: { ...FROZEN, reason: 'watchdog' },
        watchdogFired: true,
      });
      await recordTurn(ports, input);
      const [turn, ...others] = await database.runs.turns(SLUG);
      assert.ok(turn !== undefined);
      assert.deepEqual([turn.turn, turn.event, turn.at, others], [1, 'ended', 8_000, []]);
      const { exitCode, head, reason, watchdogFired, host, egress } = turn.detail;
      assert.deepEqual(
        { exitCode, head, reason, watchdogFired, host },
        { exitCode: 143, head: 'c'.repeat(40), reason: 'watchdog', watchdogFired: true, host: 'h2' },
      );
      assert.deepEqual(egress, { refused: ['example.org'] }, 'itself, for blobs are not kept for good');
      const { status, phase, reason: why, host: where, lastCheckinAt, updatedAt } = await row();
      assert.deepEqual([status, phase, why, where], ['frozen', 'frozen', 'watchdog', 'h2']);
      assert.deepEqual([lastCheckinAt, updatedAt], [7_000, NOW]);
    });

    it('say what its agent published while it ran, under the seal, too', async () => {
      const head = 'c'.repeat(40);
      const signed: Statement[] = [];
      const sign = (statement: Statement) => {
        signed.push(statement);
        return UNSIGNED.signer.sign(statement);
      };
      await recordTurn({ ...ports, signer: { sign } }, ended({ published: [{ head, pr: 13 }] }));
      const [turn] = await database.runs.turns(SLUG);
      assert.deepEqual(turn?.detail['published'], [{ head, pr: 13 }]);
      assert.deepEqual(
        signed.at(-1)?.subject.map(({ name }) => name),
        [`run:${SLUG}`, `commit:${head}`],
      );
    });

    it('have its session and, where nothing was said or sent, no operation and no egress', async () => {
      await recordTurn(ports, ended());
      const [turn] = await database.runs.turns(SLUG);
      assert.equal(turn?.detail['egress'], null);
      assert.deepEqual(await database.runs.operations(SLUG), []);
      const sessions = await database.sessions.ofRun(SLUG);
      assert.deepEqual(
        sessions.map(({ sessionId, updatedAt }) => [sessionId, updatedAt]),
        [['s', NOW]],
      );
    });

    it('have a row for each operation of its agent', async () => {
      const refused = { ...OPERATION, id: 'o2', outcome: 'refused' };
      const failed = { ...OPERATION, id: 'o3', outcome: 'failed', forged: 'x' };
      const text = [OPERATION, refused, failed].map((line) => `${JSON.stringify(line)}\n`).join('');
      await recordTurn(ports, ended({ result: turnResult({ operationsRef: await ports.blobs.put(text) }) }));
      assert.deepEqual(
        (await database.runs.operations(SLUG)).map(({ slug, turn, id, outcome, target }) => {
          return [slug, turn, id, outcome, target];
        }),
        [
          [SLUG, 1, 'o1', 'ok', '#12'],
          [SLUG, 1, 'o2', 'refused', '#12'],
          [SLUG, 1, 'o3', 'failed', '#12'],
        ],
      );
    });

    it('say that it ended, and why, where nobody can say how', async () => {
      await database.forgeState.upsert(stateRow({ slug: SLUG, lastCheckinAt: 7 }));
      const { result, ...input } = ended({ reason: 'failed' });
      const publish = { kind: 'refused', reason: 'it was under way at two crashes of the worker' } as const;
      await recordTurn(ports, { ...input, settled: settledTurn({ publish }) });
      const [turn] = await database.runs.turns(SLUG);
      assert.ok(turn !== undefined);
      const { event, at, detail } = turn;
      assert.deepEqual([event, at, detail['reason']], ['ended', NOW, 'failed']);
      assert.deepEqual(detail['publish'], publish);
      assert.ok(!Object.keys(result ?? {}).some((name) => name in detail));
      assert.equal((await row()).lastCheckinAt, 7);
      assert.deepEqual(await database.sessions.ofRun(SLUG), []);
    });

    it('are written when another life of the issue has the state row by now, which stays as it is', async () => {
      const later = stateRow({ slug: 'coder-alice-demo-12-later', updatedAt: 1 });
      await database.forgeState.upsert(later);
      await recordTurn(ports, ended());
      assert.equal((await database.runs.turns(SLUG)).length, 1);
      assert.deepEqual(await database.forgeState.ofRun('coder-alice-demo-12-later'), later);
      assert.equal(await database.forgeState.ofRun(SLUG), undefined);
    });
  });

  describe('when its state changes', () => {
    const state = (snapshot: Partial<RunSnapshot>, run: object = {}): Promise<void> =>
      recordState(ports, { ...RUN, ...run, snapshot: { ...FROZEN, ...snapshot } });

    it('have the pull request’s number and page, and keep them when the next one knows of none', async () => {
      await state({ prNumber: 31 });
      const known = await row();
      assert.deepEqual([known.prNumber, known.prUrl], [31, 'https://forge.example/alice/demo/pulls/31']);
      await state({ prNumber: null });
      assert.deepEqual(await row(), known);
    });

    it('have the page of a pull request beside that of the one that the run is about', async () => {
      const issueUrl = 'https://forge.example/issues/1/pulls/12';
      await database.forgeState.upsert(stateRow({ slug: SLUG, issueUrl }));
      await state({ prNumber: 345 });
      assert.equal((await row()).prUrl, 'https://forge.example/issues/1/pulls/345');
    });

    it('keep when its agent was last heard of, the later of what the turn says and what was seen', async () => {
      const heard = async (seen: number | null, said: number): Promise<number | null> => {
        await database.forgeState.upsert(stateRow({ slug: SLUG, lastCheckinAt: seen }));
        await recordTurn(ports, ended({ result: turnResult({ lastCheckinAt: said }) }));
        return (await row()).lastCheckinAt;
      };
      assert.deepEqual([await heard(null, 6), await heard(8, 7), await heard(7, 8)], [6, 8, 8]);
      await state({ phase: 'rehydrating', reason: null });
      const { lastCheckinAt, status } = await row();
      assert.deepEqual([lastCheckinAt, status], [8, 'running']);
      await database.forgeState.upsert(stateRow({ slug: SLUG }));
      await state({});
      assert.equal((await row()).lastCheckinAt, null);
    });

    it('follow a repository that was renamed, with nothing left under its old name', async () => {
      await state({}, { subject: { ...SUBJECT, repo: 'renamed' } });
      assert.equal((await row()).repo, 'renamed');
      assert.equal(await database.forgeState.get(SUBJECT), undefined);
      await state({}, { subject: { ...SUBJECT, owner: 'bob', repo: 'renamed' } });
      const all = await database.forgeState.all();
      assert.deepEqual(
        all.map(({ owner, repo }) => [owner, repo]),
        [['bob', 'renamed']],
      );
    });

    it('are sealed where the run rests, and nowhere else', async () => {
      await database.runs.appendTurn({ slug: SLUG, turn: 1, event: 'begun', at: 1, detail: {} });
      await state({ phase: 'running', reason: null });
      assert.equal(await database.provenance.lastSeal(SLUG), undefined);
      await state({});
      const seal = await database.provenance.lastSeal(SLUG);
      assert.deepEqual([seal?.reason, seal?.at, seal?.entries], ['frozen', NOW, 1]);
    });

    it('stay as they are for a host that the run has left since', async () => {
      await state({ host: 'second' }, { epoch: 1 });
      const moved = await row();
      assert.deepEqual([moved.host, moved.epoch], ['second', 1]);
      await state({ host: 'first', phase: 'running', reason: null });
      await recordTurn(ports, ended({ snapshot: { ...FROZEN, host: 'first' } }));
      await recordEnd(ports, { ...RUN, endedAt: 1 });
      assert.deepEqual([await row(), await database.runs.turns(SLUG)], [moved, []]);
      await recordTurn(ports, { ...ended(), epoch: 1 });
      assert.equal((await database.runs.turns(SLUG)).length, 1);
    });
  });

  describe('when it ends', () => {
    const end = (): Promise<void> => recordEnd(ports, { ...RUN, endedAt: 777 });

    it('say so, with when, and are sealed as those of a run that ended', async () => {
      await recordTurn(ports, ended());
      await end();
      const { status, phase, reason, destroyedAt, updatedAt } = await row();
      assert.deepEqual([status, phase, reason], ['destroyed', 'destroyed', null]);
      assert.deepEqual([destroyedAt, updatedAt], [777, NOW]);
      const seal = await database.provenance.lastSeal(SLUG);
      assert.deepEqual([seal?.reason, seal?.at], ['destroyed', NOW]);
    });

    it('are sealed too when another life of the issue has the state row, which stays as it is', async () => {
      await recordTurn(ports, ended());
      const later = stateRow({ slug: 'coder-alice-demo-12-later' });
      await database.forgeState.upsert(later);
      await end();
      assert.equal((await database.provenance.lastSeal(SLUG))?.reason, 'destroyed');
      assert.deepEqual(await database.forgeState.all(), [later]);
    });
  });

  it('have what an operator asked of it', async () => {
    const row = { id: 'c1', at: 3, who: 'ann@desk', kind: 'freeze', detail: {}, slug: SLUG, workflowId: 'w' };
    await recordCommand(ports, row);
    assert.deepEqual(await database.operatorLog.latest(5), [row]);
  });
});
