import assert from 'node:assert/strict';
import { BEGUN_FILE } from '../../../../src/activities/sync/host-of-sync.js';
import { runSync, turnOfSync } from '../../../../src/activities/sync/run-sync.js';
import { createSyncActivities } from '../../../../src/activities/sync/sync-activities.js';
import { Attachments } from '../../../../src/activities/turn/attachments.js';
import { agentProvider } from '../../../../src/adapters/agents/registry.js';
import { GitError } from '../../../../src/domain/base/errors.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { NO_BUDGET } from '../../../../src/domain/run/model-use.js';
import type { SyncRun } from '../../../../src/domain/sync/sync.js';
import { SLUG } from '../../../support/host/host-world.js';
import { sampleBottle } from '../../../support/manifests/samples.js';
import { turnResult } from '../../../support/machine/world.js';
import {
  AT,
  FORK,
  FORK_TIP,
  KEY,
  syncOrder,
  useSyncWorld,
  UPSTREAM_TIP,
} from '../../../support/sync/sync-world.js';
import { inActivity } from '../../../support/temporal/in-activity.js';
import { withoutPauses } from '../../../support/scale/no-pauses.js';

const OVER = new Error('as far as this test goes');

describe('the container of a sync', () => {
  withoutPauses();
  const world = useSyncWorld();
  /** Slots that were given to turns which run already. */
  let adopted: string[];
  beforeEach(() => {
    adopted = [];
    const { host } = world.ports;
    host.disk.look = () => Promise.resolve({ bytes: 0, inodes: 0 });
    host.slots.adopt = (slug) => {
      adopted.push(slug);
      throw OVER;
    };
    host.slots.acquire = () => Promise.reject(OVER);
  });

  /** Up to where the engine is asked. */
  const begin = (run: SyncRun, how: 'run' | 'attach' = 'run'): Promise<void> =>
    inActivity(() =>
      assert.rejects(runSync(world.ports, new Attachments(), { run, budget: NO_BUDGET }, how)),
    );
  async function opencode(): Promise<SyncRun> {
    const { prepared } = await world.run();
    const bottleRef = await world.ports.host.blobs.put(JSON.stringify(sampleBottle({ allow: ['pypi.org'] })));
    const env = { ...world.env, OPENCODE_API_KEY: 'placeholder' };
    return world.run({
      order: syncOrder({ manifest: null }),
      prepared: {
        ...prepared,
        provider: 'opencode',
        model: env.OPENCODE_MODEL,
        variant: 'high',
        env,
        bottleRef,
      },
    });
  }

  it('is one turn of a run without an issue, with the limit of the order', async () => {
    const run = await world.run();
    const budget = { tokens: 5, microUsd: 6 };
    assert.deepEqual(turnOfSync({ run, budget }, true), {
      ...{ workflowId: run.workflowId, slug: SLUG, turn: 1, repoId: null, subject: localSubject(SLUG) },
      ...{ source: FORK, prepared: run.prepared, budget, begun: true, turnTimeoutMs: 480_000 },
      ...{ doneGraceMs: 20_000, sessionId: null, prNumber: null, head: null, goesOnWith: null, stop: null },
    });
    assert.equal(turnOfSync({ run, budget }, false).begun, false);
  });

  it('is described in its run directory: what is merged, the command, the environment by name', async () => {
    const run = await opencode();
    await begin(run);
    const { harness, ...rest } = world.metadata(run);
    assert.deepEqual(rest, {
      ...{ slug: SLUG, workflowId: run.workflowId, by: 'alice@desk', timeoutMs: 480_000 },
      ...{ upstream: 'https://upstream.example/app.git', fork: 'alice/demo', start: FORK_TIP },
      ...{ agentBranch: run.agentBranch, branch: 'main', sha: FORK_TIP, upstreamBranch: 'trunk' },
      ...{ upstreamSha: UPSTREAM_TIP, behind: 5, earlier: null },
    });
    const { entrypoint, command, environment } = harness as Readonly<Record<string, readonly string[]>>;
    assert.equal(entrypoint, '/usr/local/bin/bottle-entrypoint');
    assert.match(
      (command ?? []).join(' '),
      /^\/usr\/local\/bin\/opencode run .*--model anthropic\/claude-opus-5/,
    );
    assert.match((command ?? []).join(' '), / --variant high --agent build/);
    for (const name of ['OPENCODE_MODEL', 'OPENCODE_CONFIG_CONTENT', 'HTTPS_PROXY'])
      assert.ok(environment?.includes(name), name);
    assert.deepEqual(environment, [...(environment ?? [])].sort());
    assert.ok(!JSON.stringify(world.metadata(run)).includes(KEY));
  });

  it('has the session that its turn begins with, whoever starts it', async () => {
    const run = await world.run();
    await begin(run);
    const first = world.metadata(run);
    await begin(run, 'attach');
    assert.deepEqual(world.metadata(run), first);
    const session = agentProvider('scripted').newSessionId(`${SLUG}/1`) ?? assert.fail('no session');
    assert.match(JSON.stringify(first['harness']), new RegExp(`"--session-id","${session}"`));
  });

  it('is found, and no second one is started, once it was seen to start', async () => {
    const run = await world.run();
    await begin(run);
    assert.deepEqual(adopted, []);
    await world.ports.host.files.saveFile(SLUG, BEGUN_FILE, '');
    await begin(run);
    assert.deepEqual(adopted, [SLUG]);
  });

  describe('as activities', () => {
    /** Works that were marked. */
    let marked: string[];
    beforeEach(() => {
      marked = [];
      world.ports.host.underWay.during = (work, run) => {
        marked.push(work.key);
        return run();
      };
    });
    const activities = () => createSyncActivities(world.ports, new Attachments());
    const input = { workflowId: 'sync:gitea:alice/demo', slug: SLUG, order: syncOrder(), at: AT };

    it('is prepared and settled under marks', async () => {
      const prepared = await inActivity(() => activities().prepareSync(input));
      assert.deepEqual(marked, ['prepare-1']);
      assert.ok(prepared.kind === 'ready');
      const { run } = prepared;
      const settled = await inActivity(() =>
        activities().settleSync({ run, result: turnResult(), failure: null }),
      );
      assert.deepEqual([settled.outcome.status, marked.includes('settle-1')], ['verified', true]);
    });

    it('tells Temporal what is worth another try', async () => {
      world.ports.git.refreshFork = () => Promise.reject(new GitError('away', true));
      await inActivity(() =>
        assert.rejects(activities().prepareSync(input), { type: 'git', nonRetryable: false }),
      );
    });

    it('is watched, by whichever of the two asks', async () => {
      const run = await world.run();
      const asked = { run, budget: NO_BUDGET };
      const ways: string[] = [];
      world.ports.host.log.info = ({ how }) => {
        if (typeof how === 'string') ways.push(how);
      };
      await inActivity(() => assert.rejects(activities().runSync(asked)));
      await inActivity(() => assert.rejects(activities().reattachSync(asked)));
      assert.deepEqual(ways, ['run', 'attach']);
    });
  });
});
