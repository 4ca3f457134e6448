import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import assert from 'node:assert/strict';
import { recordTurn } from '../../../src/activities/rows/record-rows.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { HomePorts } from '../../../src/activities/ports/home-ports.js';
import type { RecordTurnInput } from '../../../src/activities/ports/inputs.js';
import type { AgentOutcome, ReportedUse } from '../../../src/domain/agent/agent-stream.js';
import { NO_USE, type ModelUse } from '../../../src/domain/run/model-use.js';
import type { SessionRow } from '../../../src/domain/run/rows.js';
import type { Database } from '../../../src/domain/run/stores.js';
import type { TurnResult } from '../../../src/domain/run/turn.js';
import { sampleHome } from '../../support/host/sample-home.js';
import { FakeForge } from '../../support/webhook/fake-forge.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths, useTempDir } from '../../support/webhook/temp-dir.js';

const SLUG = 'coder-alice-demo-12-abc12';
const A = '11111111-1111-5111-8111-111111111111';
const B = '22222222-2222-5222-8222-222222222222';

interface Told {
  readonly sessionId: string | null;
  readonly use?: Partial<ModelUse>;
  readonly reported?: Partial<ReportedUse>;
  readonly outcome?: AgentOutcome;
  readonly finishedAt?: number;
}

/** The real activity over a real database. */
describe('the registry of sessions', () => {
  const path = useTempDir();
  const newPath = useNewPaths();
  let file: string;
  let database: Database;
  let ports: HomePorts;

  beforeEach(async () => {
    file = newPath();
    database = await openDatabase(file);
    const own = {
      forgeFor: () => new FakeForge().bind(),
      blobs: new LocalBlobStore(path('blobs')),
      database,
      clock: { now: () => 9_000 },
    };
    ports = sampleHome(own, { dayBudget: DEFAULT_POLICY.budget });
    await database.runs.appendRun({
      slug: SLUG,
      workflowId: 'gitea:alice/demo#12',
      subject: 'alice/demo#12',
      agentName: 'coder',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt: 1,
      triggerActId: 3,
      createdAt: 2,
    });
  });
  afterEach(async () => {
    await database.close();
  });

  async function begin(turn: number): Promise<void> {
    const detail = { cause: 'first', provider: 'claude', providerVersion: '1.2.3' };
    await database.runs.appendTurn({ slug: SLUG, turn, event: 'begun', at: turn, detail });
  }
  async function end(turn: number, told: Told, slug = SLUG): Promise<void> {
    await recordTurn(ports, { ...recorded(turn, told), slug });
  }
  const sessions = (): Promise<SessionRow[]> => database.sessions.ofRun(SLUG);

  it('adds up what the turns of a session used, metered and reported apart', async () => {
    await begin(1);
    await end(1, {
      sessionId: A,
      use: { inputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 2, outputTokens: 3, microUsd: 700 },
      reported: { inputTokens: 100, cachedTokens: 50, outputTokens: 30, usd: 0.25 },
    });
    await begin(2);
    await end(2, {
      sessionId: A,
      use: { inputTokens: 1, outputTokens: 1, microUsd: 1 },
      reported: { inputTokens: 1, usd: null },
    });
    assert.deepEqual(await sessions(), [
      {
        slug: SLUG,
        sessionId: A,
        provider: 'claude',
        providerVersion: '1.2.3',
        agent: 'coder',
        cwd: '/workspace',
        firstTurn: 1,
        lastTurn: 2,
        turns: 2,
        inputTokens: 18,
        cachedTokens: 5,
        outputTokens: 4,
        microUsd: 701,
        reportedInputTokens: 101,
        reportedCachedTokens: 50,
        reportedOutputTokens: 30,
        reportedUsd: 0.25,
        updatedAt: 9_000,
        endedReason: null,
      },
    ]);
  });

  it('counts a turn that is recorded twice once, as it was recorded first', async () => {
    await end(1, { sessionId: A, use: { inputTokens: 10 } });
    const [before] = await sessions();
    await end(1, { sessionId: A, use: { inputTokens: 99 } });
    assert.deepEqual(await sessions(), [before]);
    assert.equal(before?.inputTokens, 10);
    assert.equal(before.turns, 1);
  });

  it('leaves a check-in that was seen later than what the end of the turn knows of', async () => {
    const later = 2_000_000_000_000;
    await database.forgeState.upsert(stateRow({ slug: SLUG, status: 'running', lastCheckinAt: later }));
    await end(1, { sessionId: A });
    const row = await database.forgeState.ofRun(SLUG);
    assert.deepEqual([row?.status, row?.lastCheckinAt], ['frozen', later]);
  });

  it('has an entry for each session, and says how the earlier ones ended', async () => {
    await end(1, { sessionId: null });
    await end(2, { sessionId: A });
    await end(3, { sessionId: A, outcome: 'unknown_session' });
    await end(4, { sessionId: B });
    assert.deepEqual(
      (await sessions()).map(({ sessionId, firstTurn, lastTurn, endedReason }) => [
        sessionId,
        firstTurn,
        lastTurn,
        endedReason,
      ]),
      [
        [A, 2, 3, 'lost'],
        [B, 4, 4, null],
      ],
    );
    const third = '33333333-3333-5333-8333-333333333333';
    await end(5, { sessionId: third });
    assert.deepEqual(
      (await sessions()).map(({ endedReason }) => endedReason),
      ['lost', 'rotated', null],
    );
  });

  it('takes a turn that names neither use nor provider, as earlier versions wrote it', async () => {
    const detail = { sessionId: A, exitCode: 0 };
    await database.runs.appendTurn({ slug: SLUG, turn: 1, event: 'ended', at: 5, detail });
    await database.sessions.update(SLUG, 9);
    const [session] = await sessions();
    assert.equal(session?.provider, null);
    assert.equal(session.inputTokens, 0);
    assert.equal(session.reportedUsd, null);
  });

  it('takes any number an agent reports', async () => {
    for (let turn = 1; turn <= 3; turn += 1)
      await end(turn, {
        sessionId: A,
        reported: { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 1e300, usd: 1e300 },
      });
    assert.ok(((await sessions())[0]?.reportedInputTokens ?? 0) > Number.MAX_SAFE_INTEGER);
  });

  describe('what was spent since', () => {
    it('is that of all runs’ turns that ended then or later, metered', async () => {
      const use = {
        inputTokens: 10,
        cacheReadTokens: 5,
        cacheWriteTokens: 2,
        outputTokens: 3,
        microUsd: 700,
      };
      await end(1, { sessionId: A, use, finishedAt: 999 });
      await end(2, { sessionId: A, use, reported: { inputTokens: 5_000, usd: 9 }, finishedAt: 1_000 });
      await end(1, { sessionId: B, use, finishedAt: 2_000 }, 'coder-alice-demo-13-abc13');
      await end(2, { sessionId: null, finishedAt: 2_000 }, 'coder-alice-demo-13-abc13');
      assert.deepEqual(await database.sessions.spentSince(1_000), { turns: 3, tokens: 40, microUsd: 1_400 });
      assert.deepEqual(await database.sessions.spentSince(2_001), { turns: 0, tokens: 0, microUsd: 0 });
    });

    it('can be asked of a database that is open for reading, or not there', async () => {
      await end(1, { sessionId: A, use: { outputTokens: 3, microUsd: 7 } });
      const reader = openDatabaseReadOnly(file);
      assert.deepEqual(await reader.sessions.spentSince(0), { turns: 1, tokens: 3, microUsd: 7 });
      assert.equal((await reader.sessions.ofRun(SLUG)).length, 1);
      await reader.close();
      const none = openDatabaseReadOnly(path('none.db'));
      assert.deepEqual(await none.sessions.spentSince(0), { turns: 0, tokens: 0, microUsd: 0 });
      assert.deepEqual(await none.sessions.ofRun(SLUG), []);
      await none.close();
    });
  });
});

function recorded(turn: number, told: Told): RecordTurnInput {
  const { sessionId, use, reported, outcome = 'finished', finishedAt = turn } = told;
  const noUse: ReportedUse = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: null };
  const result: TurnResult = {
    exitCode: 0,
    done: null,
    stopped: null,
    startedAt: 0,
    finishedAt,
    lastCheckinAt: 0,
    sidecarRestarts: 0,
    baseSha: '',
    sessionId,
    imageId: '',
    limit: null,
    setAside: null,
    agent: {
      outcome,
      errorRef: null,
      reported: reported === undefined ? null : { ...noUse, ...reported },
      toolCalls: 0,
      denials: 0,
    },
    model: use === undefined ? null : { use: { ...NO_USE, ...use }, trouble: null },
    operationsRef: null,
    egressRef: null,
  };
  return {
    workflowId: 'gitea:alice/demo#12',
    repoId: 7,
    subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    slug: SLUG,
    turn,
    result,
    settled: {
      publish: { kind: 'nothing', reason: 'nothing to publish' },
      stuck: false,
      stuckHash: null,
      uncommitted: 0,
      uncommittedRef: null,
      head: null,
      transcriptHash: null,
    },
    reason: 'done',
    snapshot: { phase: 'frozen', reason: 'done', host: null, prNumber: null },
    watchdogFired: false,
  };
}
