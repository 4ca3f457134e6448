import assert from 'node:assert/strict';
import { changePause } from '../../../../src/activities/change-pause.js';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import {
  createSyncRowActivities,
  type BegunSync,
  type SyncRowActivities,
} from '../../../../src/activities/sync/begin-sync.js';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import type { Amounts } from '../../../../src/domain/run/budget.js';
import type { PauseRow } from '../../../../src/domain/run/pause.js';
import type { SyncOrder, SyncRun } from '../../../../src/domain/sync/sync.js';
import { makeLocalSlug } from '../../../../src/domain/run/slug.js';
import { PREPARED } from '../../../support/machine/world.js';
import { AGENT_BRANCH, AT, FORK_TIP, syncOrder, UPSTREAM_TIP } from '../../../support/sync/sync-world.js';
import { useDatabase } from '../../../support/webhook/use-database.js';

const SLUG = makeLocalSlug('sync', ['demo'], () => 0.5);
const BUDGET: Amounts = { turns: 3, tokens: 1_000, microUsd: 2_000_000 };

/** Over a real database; what is paused and spent is said. */
describe('the rows of a sync', () => {
  const database = useDatabase();
  let pauses: readonly PauseRow[];
  let spent: Amounts;
  let allPauses: () => Promise<readonly PauseRow[]>;
  beforeEach(async () => {
    pauses = [];
    allPauses = () => Promise.resolve(pauses);
    spent = { turns: 1, tokens: 400, microUsd: 0 };
  });

  function activities(): SyncRowActivities {
    const ports = {
      database: {
        ...database(),
        pauses: { ...database().pauses, all: () => allPauses() },
        sessions: { ...database().sessions, spentSince: () => Promise.resolve(spent) },
      },
      provider: agentProvider,
      clock: { now: () => AT },
      settings: { dayBudget: BUDGET },
    } as unknown as HomePorts;
    return createSyncRowActivities(ports);
  }

  function begin(order: Partial<SyncOrder> = {}): Promise<BegunSync> {
    const run: SyncRun = {
      ...{ workflowId: 'sync:gitea:alice/demo', slug: SLUG, order: syncOrder(order), startSha: FORK_TIP },
      ...{ agentBranch: AGENT_BRANCH, knownStuck: [], runDir: '/runs/demo', prepared: PREPARED },
      refs: {
        ...{ branch: 'main', sha: FORK_TIP, upstreamBranch: 'trunk', upstreamSha: UPSTREAM_TIP },
        ...{ behind: 1, earlier: null },
      },
    };
    return activities().beginSync({ run, host: 'h1' });
  }
  const isEmpty = async (): Promise<boolean> =>
    (await database().forgeState.all()).length === 0 && (await database().runs.run(SLUG)) === undefined;

  it('say that it runs, for whom, and what the day has left for it', async () => {
    assert.deepEqual(await begin(), { kind: 'begun', budget: { tokens: 600, microUsd: 2_000_000 } });
    const run = await database().runs.run(SLUG);
    const [state] = await database().forgeState.all();
    assert.deepEqual(
      [run?.workflowId, run?.agentName, run?.triggerAt, run?.triggerActor, run?.bottleNames],
      ['sync:gitea:alice/demo', 'merger', AT, '', ['default']],
    );
    assert.deepEqual(
      [state?.forge, state?.slug, state?.status, state?.host, state?.branch, state?.issueUrl],
      ['local', SLUG, 'running', 'h1', AGENT_BRANCH, 'alice/demo'],
    );
    const [turn, ...more] = await database().runs.turns(SLUG);
    assert.deepEqual([turn?.turn, turn?.event, more], [1, 'begun', []]);
    assert.match(JSON.stringify(turn?.detail), /"cause":"first"/);
  });

  const commands = async (): Promise<unknown> => {
    const [record] = await database().provenance.records([SLUG]);
    const rows = record?.rows.filter(({ source }) => source === 'operatorCommand') ?? [];
    return rows.map(({ columns: { who, kind, detail } }) => [
      who,
      kind,
      JSON.parse(String(detail)) as unknown,
    ]);
  };

  it('say who asked for it, of whom, and for what', async () => {
    await begin();
    await begin();
    const { upstream, manifest } = syncOrder();
    const detail = { fork: 'alice/demo', upstream, manifest };
    assert.deepEqual(await commands(), [['alice@desk', 'start', detail]]);
  });

  it('say that it is not known who asked when that is no name', async () => {
    await begin({ by: 'a\nb' });
    assert.match(JSON.stringify(await commands()), /^\[\["unknown/);
  });

  it('are those of opencode where no manifest is named', async () => {
    await begin({ manifest: null });
    assert.equal((await database().runs.run(SLUG))?.agentName, 'sync');
  });

  it('are the same when it is begun again', async () => {
    await begin();
    await begin();
    assert.deepEqual(
      [(await database().forgeState.all()).length, (await database().runs.turns(SLUG)).length],
      [1, 1],
    );
  });

  it('are none while new turns of the fork are paused, and it says who did that', async () => {
    pauses = [{ scope: 'alice/demo', since: AT, who: 'bob@desk' }];
    const refused = await begin();
    assert.ok(refused.kind === 'refused');
    assert.match(refused.reason, /alice\/demo are paused by bob@desk/);
    assert.ok(await isEmpty());
    pauses = [{ scope: 'alice/other', since: AT, who: 'bob@desk' }];
    assert.equal((await begin()).kind, 'begun');
  });

  it('are none when the day’s budget is used up', async () => {
    spent = BUDGET;
    const refused = await begin();
    assert.ok(refused.kind === 'refused');
    assert.match(refused.reason, /budget of all runs is used up: 3 of 3 turns/);
    assert.ok(await isEmpty());
  });

  it('are there before it is asked for the last time whether new turns are paused', async () => {
    const paused: PauseRow = { scope: '*', since: AT, who: 'bob@desk' };
    // A pause that comes once the row is there tells the workflow.
    allPauses = async () => ((await isEmpty()) ? [] : [paused]);
    assert.equal((await begin()).kind, 'refused');
  });

  it('tell a pause, of the fork or of everything, which workflow has to hear of it', async () => {
    await begin();
    const toldBy = async (scope: string): Promise<readonly string[]> =>
      (
        await changePause(
          { database: database() },
          { id: scope, workflowId: 'pause', action: 'pause', scope, who: 'bob@desk', at: AT },
        )
      ).tell;
    assert.deepEqual(
      [await toldBy('alice/other'), await toldBy('alice/demo'), await toldBy('*')],
      [[], ['sync:gitea:alice/demo'], ['sync:gitea:alice/demo']],
    );
  });

  it('are not needed to know that it may not begin', async () => {
    const may = (): Promise<BegunSync> => activities().mayBeginSync(syncOrder().fork);
    assert.deepEqual(await may(), { kind: 'begun', budget: { tokens: 600, microUsd: 2_000_000 } });
    spent = BUDGET;
    assert.match(JSON.stringify(await may()), /"refused".*budget of all runs is used up/);
    pauses = [{ scope: '*', since: AT, who: 'bob@desk' }];
    assert.match(JSON.stringify(await may()), /"refused".*paused by bob@desk/);
    assert.ok(await isEmpty());
  });
});
