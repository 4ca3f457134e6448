import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { prepareSync } from '../../../../src/activities/sync/prepare-sync.js';
import { GitError } from '../../../../src/domain/base/errors.js';
import type { TurnBottle } from '../../../../src/domain/bottle/bottle-setup.js';
import { WHOLE_REPOSITORY } from '../../../../src/domain/bottle/bottle-setup.js';
import { PLACEHOLDER_KEY } from '../../../../src/domain/egress/route.js';
import type { SyncOrder, SyncOutcome, SyncRun } from '../../../../src/domain/sync/sync.js';
import { SYNC_SETUP } from '../../../../src/domain/sync/sync-texts.js';
import { SLUG } from '../../../support/host/host-world.js';
import { sampleAgent, sampleBottle } from '../../../support/manifests/samples.js';
import {
  AGENT_BRANCH,
  AT,
  EARLIER_TIP,
  FORK_TIP,
  KEY,
  syncOrder,
  useSyncWorld,
  UPSTREAM_TIP,
} from '../../../support/sync/sync-world.js';

const EARLIER = 'bot-bottle/sync-20261101_100000';

describe('preparing a sync', () => {
  const world = useSyncWorld();

  const prepare = (order: Partial<SyncOrder> = {}) =>
    prepareSync(world.ports, {
      ...{ workflowId: 'sync:gitea:alice/demo', slug: SLUG, at: AT },
      order: syncOrder(order),
    });
  async function ready(order: Partial<SyncOrder> = {}): Promise<SyncRun> {
    const prepared = await prepare(order);
    assert.ok(prepared.kind === 'ready', JSON.stringify(prepared));
    return prepared.run;
  }
  async function over(order: Partial<SyncOrder> = {}): Promise<SyncOutcome> {
    const prepared = await prepare(order);
    assert.ok(prepared.kind === 'over');
    const { runDir, slug, branch } = prepared.outcome;
    assert.deepEqual([runDir, slug, branch, existsSync(world.runs)], [null, null, null, false]);
    return prepared.outcome;
  }
  const bottleOf = async ({ prepared }: SyncRun): Promise<TurnBottle> =>
    JSON.parse(await world.ports.host.blobs.getText(prepared.bottleRef)) as TurnBottle;
  const promptOf = ({ prepared }: SyncRun): Promise<string> =>
    world.ports.host.blobs.getText(prepared.promptRef);

  describe('where nobody could open a pull request', () => {
    it('is over before an agent works for nothing', async () => {
      const { forge } = world.host;
      forge.mayPush = false;
      assert.match((await over()).reason, /^the bot may not push to alice\/demo: give it write access/);
      forge.mayPush = true;
      forge.hidden.add('pulls');
      assert.match((await over()).reason, /^alice\/demo shows the bot no pull requests: switch them on/);
      // Nobody needs one then.
      world.refs = { ...world.refs, behind: 0 };
      assert.equal((await over()).status, 'unchanged');
    });
  });

  describe('where there is something to merge', () => {
    it('begins with the fork’s branch, and pushes to one of its own', async () => {
      world.stuckBlobs = ['blob'];
      const { prepared, ...run } = await ready();
      assert.deepEqual(run, {
        ...{ workflowId: 'sync:gitea:alice/demo', slug: SLUG, order: syncOrder(), refs: world.refs },
        ...{ startSha: FORK_TIP, agentBranch: AGENT_BRANCH, knownStuck: ['blob'] },
        runDir: `${world.runs}/demo_20261123_100000`,
      });
      assert.equal(prepared.branch, 'main');
      assert.deepEqual(world.asked, [
        'refresh demo https://upstream.example/app.git',
        `STUCK.md ${FORK_TIP} ${UPSTREAM_TIP}`,
      ]);
      assert.match(await promptOf({ ...run, prepared }), /it has 5 commits that the fork lacks/);
    });

    it('finds the directory of the first try when it is repeated', async () => {
      assert.equal((await ready()).runDir, (await ready()).runDir);
    });

    it('goes on with the branch of an earlier sync whose pull request is open', async () => {
      world.refs = { ...world.refs, earlier: { branch: EARLIER, sha: EARLIER_TIP } };
      world.host.forge.putPull(8, { head: { ref: EARLIER, sha: EARLIER_TIP, fromFork: false } });
      const run = await ready();
      assert.deepEqual([run.startSha, run.agentBranch, run.refs.behind], [EARLIER_TIP, EARLIER, 2]);
      assert.ok(world.asked.includes(`count ${EARLIER_TIP} ${UPSTREAM_TIP}`));
      assert.ok(world.asked.includes(`STUCK.md ${EARLIER_TIP} ${UPSTREAM_TIP}`));
      assert.match(await promptOf(run), /it has 2 commits that the fork lacks/);
    });

    it('begins anew when that pull request is closed', async () => {
      world.refs = { ...world.refs, earlier: { branch: EARLIER, sha: EARLIER_TIP } };
      world.host.forge.putPull(8, {
        ...{ state: 'closed', head: { ref: EARLIER, sha: EARLIER_TIP, fromFork: false } },
      });
      const { startSha, agentBranch, refs } = await ready();
      assert.deepEqual([startSha, agentBranch, refs.behind], [FORK_TIP, AGENT_BRANCH, 5]);
    });
  });

  describe('where there is nothing to do', () => {
    it('says that the fork has all of upstream', async () => {
      world.refs = { ...world.refs, behind: 0 };
      const { status, reason, pr } = await over();
      assert.deepEqual([status, pr], ['unchanged', null]);
      assert.equal(reason, 'main has all of upstream/trunk (222222222222)');
    });

    it('says that an open pull request has all of it', async () => {
      world.refs = { ...world.refs, earlier: { branch: EARLIER, sha: EARLIER_TIP } };
      world.host.forge.putPull(8, { head: { ref: EARLIER, sha: EARLIER_TIP, fromFork: false } });
      world.behindEarlier = 0;
      const { status, reason, pr, prUrl } = await over();
      assert.deepEqual([status, pr, prUrl], ['unchanged', 8, world.host.forge.pulls.get(8)?.url]);
      assert.match(reason, /^pull request #8 has all of upstream\/trunk .*it waits/);
    });
  });

  describe('that cannot be made', () => {
    it('says which setting keeps it from publishing', async () => {
      const forks = { ensure: () => assert.fail('no fork'), look: () => assert.fail('no fork') };
      Object.assign(world, { ports: { ...world.ports, host: { ...world.ports.host, forks } } });
      const { status, reason } = await over();
      assert.equal(status, 'failed');
      assert.match(reason, /FORGE_PUBLISH=fork/);
      assert.deepEqual(world.asked, []);
    });

    it('says what no repetition cures, and fails at what one does', async () => {
      const failing = (fault: Error): void => {
        world.ports.git.refreshFork = () => Promise.reject(fault);
      };
      failing(new GitError('upstream is not there', false));
      const { status, reason } = await over();
      assert.deepEqual([status, reason], ['failed', 'upstream is not there']);
      for (const fault of [new GitError('away', true), new TypeError('x')]) {
        failing(fault);
        await assert.rejects(prepare(), fault);
      }
    });
  });

  describe('with opencode.env', () => {
    const manifest = null;

    it('uses its four names, and a placeholder for the key', async () => {
      const run = await ready({ manifest });
      const { provider, model, variant, env, gitUser, bottleNames, image } = run.prepared;
      assert.deepEqual(
        [provider, model, variant, bottleNames, image],
        ['opencode', 'anthropic/claude-opus-5', 'high', ['default'], 'bot-bottle/agent-opencode:dev'],
      );
      assert.deepEqual(env, { ...world.env, OPENCODE_API_KEY: PLACEHOLDER_KEY });
      assert.match(gitUser.email, /@bot-bottle\.invalid$/);
      assert.ok(!JSON.stringify([run, await promptOf(run), await bottleOf(run)]).includes(KEY));
      assert.match(await promptOf(run), /^# Merge upstream/);
      assert.deepEqual(world.sought, []);
    });

    it('fails for a model that nobody has, and leaves no directory behind', async () => {
      world.env = { ...world.env, OPENCODE_MODEL: 'acme/gpt' };
      const { status, reason } = await over({ manifest });
      assert.equal(status, 'failed');
      assert.match(reason, /has no model acme\/gpt/);
    });

    it('fails where there is no bottle for it', async () => {
      world.bottle = undefined;
      assert.match((await over({ manifest })).reason, /there is no bottle "default"/);
    });
  });

  describe('with a manifest', () => {
    it('is done by its agent in its bottle', async () => {
      world.found = {
        ...{ kind: 'found', provider: 'scripted', bottleNames: ['strict'], source: null },
        agent: sampleAgent('merger', { model: 'm', variant: 'v', prompt: 'You merge.' }),
        bottle: sampleBottle({
          ...{ name: 'strict', image: 'own:1', env: { A: 'b' }, allow: ['pypi.org'], runtime: 'runsc' },
          ...{ setup: 'make\n', disk: { bytes: 9, inodes: null } },
          publish: { allowPaths: ['.github/'], drafts: true, base: 'next' },
          workspace: { ...WHOLE_REPOSITORY, depth: 1 },
        }),
      };
      const run = await ready();
      const { promptRef, bottleRef, gitUser, ...prepared } = run.prepared;
      assert.deepEqual(prepared, {
        ...{ provider: 'scripted', model: 'm', variant: 'v', env: { A: 'b' }, bottleNames: ['strict'] },
        ...{ image: 'own:1', limits: sampleBottle().limits, disk: { bytes: 9, inodes: null } },
        ...{ branch: 'main', allowPaths: ['.github/'], readKeys: [], baseBranches: [], drafts: false },
      });
      assert.deepEqual(gitUser, sampleAgent('merger').gitUser);
      assert.ok(promptRef !== bottleRef);
      assert.match(await promptOf(run), /^You merge\.\n\n# Merge upstream/);
      const { setup, allow, runtime, readers, workspace } = await bottleOf(run);
      assert.deepEqual(
        [setup, allow, runtime, readers, workspace],
        [`${SYNC_SETUP}make\n`, ['pypi.org'], 'runsc', null, WHOLE_REPOSITORY],
      );
    });

    it('has no variant, quota or set-up of its own where the manifest has none', async () => {
      const run = await ready();
      assert.ok(!('variant' in run.prepared) && !('disk' in run.prepared));
      assert.equal((await bottleOf(run)).setup, SYNC_SETUP);
      assert.ok(world.found.kind === 'found');
      world.found = { ...world.found, bottle: sampleBottle({ disk: { bytes: null, inodes: 4 } }) };
      assert.deepEqual((await ready()).prepared.disk, { bytes: null, inodes: 4 });
    });

    it('takes no agent that the fork brings along', async () => {
      await ready();
      const [request] = world.sought;
      assert.deepEqual([request?.name, request?.bottles, request?.repo.repo], ['merger', [], 'demo']);
      assert.equal(await request?.forge.readDefaultHead(), undefined);
      assert.deepEqual(await request?.forge.readFile('d', 'f', 1), { kind: 'none' });
    });

    it('fails with the reason why there is none', async () => {
      world.found = { kind: 'refused', reason: 'there is no agent "merger"' };
      const { status, reason } = await over();
      assert.deepEqual([status, reason], ['failed', 'there is no agent "merger"']);
    });
  });
});
