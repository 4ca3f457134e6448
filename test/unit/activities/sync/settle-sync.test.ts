import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import {
  settleSync,
  type SettledSync,
  type SettleSyncInput,
} from '../../../../src/activities/sync/settle-sync.js';
import { BottleRuntimeError, ForgeHttpError, GitError } from '../../../../src/domain/base/errors.js';
import { SetAsideError } from '../../../../src/domain/run/under-way.js';
import type { SyncRun } from '../../../../src/domain/sync/sync.js';
import { syncBody, syncTitle } from '../../../../src/domain/sync/sync-texts.js';
import { HEAD, failed, report, SLUG } from '../../../support/host/host-world.js';
import { turnResult } from '../../../support/machine/world.js';
import {
  AGENT_BRANCH,
  EARLIER_TIP,
  FORK,
  FORK_TIP,
  syncOrder,
  useSyncWorld,
  UPSTREAM_TIP,
} from '../../../support/sync/sync-world.js';
import { withoutPauses } from '../../../support/scale/no-pauses.js';

const STUCK = 'c'.repeat(40);
const SCAN = { scanner: 'off', outcome: 'clean', findings: 0, rules: [] } as const;

describe('settling a sync', () => {
  withoutPauses();
  const { signal } = new AbortController();
  const world = useSyncWorld();
  let run: SyncRun;
  beforeEach(async () => {
    run = await world.run();
  });

  const settle = (changes: Partial<SettleSyncInput> = {}): Promise<SettledSync> =>
    settleSync(world.ports, { run, result: turnResult(), failure: null, ...changes }, signal);
  const isCleared = (): boolean =>
    ['remove agent', 'remove bundle', 'remove volumes'].every((what) => world.host.asked.includes(what));
  const calls = (): readonly string[] =>
    world.host.forge.calls.filter((call) => call === 'head' || call.startsWith('open'));

  it('opens one pull request for a merge that has all of upstream', async () => {
    const { outcome, settled } = await settle();
    const pull = world.host.forge.pulls.get(31);
    assert.deepEqual(outcome, {
      ...{ status: 'verified', runDir: run.runDir, slug: SLUG, branch: AGENT_BRANCH },
      reason: 'every commit of upstream/trunk is reachable; pull request #31',
      ...{ pr: 31, prUrl: pull?.url },
    });
    const { head, base, title, body } = pull ?? assert.fail('no pull request');
    assert.deepEqual([head.ref, base.ref], [AGENT_BRANCH, 'main']);
    assert.deepEqual([title, body], [syncTitle(run.refs), syncBody(run.order, run.refs)]);
    assert.deepEqual(settled, {
      publish: { kind: 'published', pr: 31, prUrl: pull?.url, head: HEAD, created: true },
      ...{ stuck: false, stuckHash: null, uncommitted: 0, uncommittedRef: null },
      ...{ head: HEAD, transcriptHash: null, secretScans: [SCAN] },
    });
    assert.ok(isCleared());
  });

  it('pushes what was made on top of both remotes, within the limits of every run', async () => {
    await settle();
    const [request] = world.requests;
    const { bundleFile = '', signal: given, ...rest } = request ?? {};
    assert.deepEqual(rest, {
      ...{ repo: FORK, branch: AGENT_BRANCH, bundledAs: 'main', baseBranch: 'main' },
      ...{ baseSha: FORK_TIP, upstreamSha: UPSTREAM_TIP, allowPaths: run.prepared.allowPaths },
      ...world.ports.host.settings.publishLimits,
      ...{ submoduleRepos: [], author: run.prepared.gitUser, texts: [] },
    });
    assert.equal(given, signal);
    assert.deepEqual(world.bundles, ['commits']);
    assert.ok(!existsSync(bundleFile), 'no quota counts it');
  });

  it('takes out what neither remote has, and what an earlier sync had', async () => {
    const known: (readonly string[])[] = [];
    world.host.answers = ({ name, argv }) => {
      if (name === 'publish') known.push(argv.filter((word) => /^[0-9a-f]{40}$/.test(word)));
      return report({ bundle: 'commits' });
    };
    run = { ...run, startSha: EARLIER_TIP };
    await settle();
    assert.deepEqual(known, [[FORK_TIP, EARLIER_TIP, UPSTREAM_TIP]]);
  });

  it('finds the pull request that is there', async () => {
    world.host.forge.putPull(8, { head: { ref: AGENT_BRANCH, sha: HEAD, fromFork: false } });
    const { outcome, settled } = await settle();
    assert.deepEqual([outcome.status, outcome.pr], ['verified', 8]);
    assert.ok(settled.publish.kind === 'published' && !settled.publish.created);
    assert.deepEqual(calls(), ['head']);
  });

  it('tells in the pull request that is there what came along, once, and keeps what it said', async () => {
    const head = { ref: AGENT_BRANCH, sha: HEAD, fromFork: false };
    world.host.forge.putPull(8, { head, body: 'As alice has it.\n' });
    await settle();
    await settle();
    const body = (): string | undefined => world.host.forge.pulls.get(8)?.body;
    const told = 'As alice has it.\n\nThen `trunk` at `222222222222`: 5 commits more.\n';
    assert.equal(body(), told);
    world.host.forge.putPull(8, { head, body: '' });
    world.host.forge.fault = (call) => {
      if (call.startsWith('edit'))
        throw new ForgeHttpError(403, 'PATCH', '/issues/8', 'the forge answered 403');
    };
    assert.deepEqual([(await settle()).outcome.status, body()], ['verified', '']);
  });

  it('goes on from a try that died after its push', async () => {
    world.host.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: true });
    const { outcome, settled } = await settle();
    assert.deepEqual([outcome.status, outcome.pr], ['verified', 31]);
    assert.ok(!('secretScans' in settled));
  });

  it('opens nothing any more when it is cancelled', async () => {
    const abort = new AbortController();
    world.host.forge.fault = (call) => {
      if (call === 'head') abort.abort(new Error('cancelled'));
    };
    await assert.rejects(
      settleSync(world.ports, { run, result: turnResult(), failure: null }, abort.signal),
      /cancelled/,
    );
    assert.deepEqual([calls(), isCleared()], [['head'], false]);
  });

  for (const [what, arrange, status, why] of [
    [
      'the gate refuses it',
      () => {
        world.host.verdict = () => ({ kind: 'refused', reason: 'a key is in it', secretScan: SCAN });
      },
      'failed',
      /^a key is in it$/,
    ],
    [
      'there is nothing to push',
      () => {
        world.host.verdict = () => ({ kind: 'unchanged', head: HEAD, onForge: false });
      },
      'unchanged',
      /nothing that the fork lacks/,
    ],
    [
      'it was not merged',
      () => {
        world.host.answers = () => report();
        run = { ...run, startSha: HEAD };
      },
      'failed',
      /^upstream is not merged: main is as it was$/,
    ],
    [
      'its branch was moved elsewhere',
      () => {
        world.host.answers = () => report();
      },
      'failed',
      new RegExp(`^upstream is not merged: main was moved to ${HEAD}, which has no merge commit$`),
    ],
    [
      'the agent is stuck',
      () => {
        world.host.answers = () => report({ stuck: STUCK, bundle: 'commits' });
      },
      'stuck',
      /STUCK\.md/,
    ],
    [
      'the workspace cannot be read',
      () => {
        world.host.answers = ({ name }) => (name === 'publish' ? failed(67) : report());
      },
      'failed',
      /alternates/,
    ],
  ] as const)
    it(`publishes nothing when ${what}, and says so`, async () => {
      arrange();
      const { outcome, settled } = await settle();
      assert.deepEqual(
        [outcome.status, outcome.branch, outcome.pr, outcome.prUrl, outcome.runDir],
        [status, null, null, null, run.runDir],
      );
      assert.match(outcome.reason, why);
      assert.deepEqual(settled.publish, { kind: 'nothing', reason: outcome.reason });
      assert.equal(settled.stuck, status === 'stuck');
      assert.equal(world.metadata(run)['status'], status);
      assert.deepEqual([calls(), isCleared()], [[], true]);
    });

  it('keeps what was seen of the workspace, also without a merge', async () => {
    world.host.answers = () => report({ stuck: STUCK, uncommitted: ['a', 'STUCK.md'] });
    const { settled } = await settle();
    assert.deepEqual([settled.stuckHash, settled.uncommitted, settled.head], [STUCK, 2, HEAD]);
    world.host.answers = () => report({ uncommitted: ['a'] });
    assert.deepEqual([(await settle()).settled.uncommitted, (await settle()).settled.head], [1, HEAD]);
  });

  it('takes no STUCK.md that a remote has itself for the agent’s', async () => {
    world.host.answers = () => report({ stuck: STUCK, bundle: 'commits' });
    run = { ...run, knownStuck: [STUCK] };
    const { outcome, settled } = await settle();
    assert.deepEqual([outcome.status, settled.stuck, settled.stuckHash], ['verified', false, STUCK]);
  });

  it('keeps the scan of what was refused', async () => {
    world.host.verdict = () => ({ kind: 'refused', reason: 'a key is in it', secretScan: SCAN });
    assert.deepEqual((await settle()).settled.secretScans, [SCAN]);
  });

  for (const [what, changes, status, reason] of [
    [
      'ran too long',
      { result: turnResult({ stopped: 'timeout' }) },
      'timeout',
      'the agent was stopped after 480 s',
    ],
    ['was stopped', { result: turnResult({ stopped: 'disk' }) }, 'failed', 'the agent was stopped: disk'],
    ['never ran', { result: null, failure: 'no image' }, 'failed', 'no image'],
    ['never ran, nobody knows why', { result: null }, 'failed', 'the container did not run'],
  ] as const)
    it(`looks at nothing of an agent that ${what}`, async () => {
      const { outcome, settled } = await settle(changes);
      assert.deepEqual([outcome.status, outcome.reason], [status, reason]);
      assert.deepEqual([settled.head, settled.stuckHash, settled.uncommitted], [null, null, 0]);
      assert.ok(!world.host.asked.includes('publish') && isCleared());
    });

  it('tells the exit code of an agent that failed', async () => {
    world.host.answers = () => report();
    const { outcome } = await settle({ result: turnResult({ exitCode: 3 }) });
    assert.match(outcome.reason, /; the agent exited with 3$/);
  });

  for (const [what, changes, why] of [
    [
      'provider',
      { exitCode: 1 },
      /^up.* was; the model’s provider refused or failed; the agent exited with 1$/,
    ],
    [
      'empty',
      { exitCode: 125 },
      /; the agent was not started: the setup of its bottle failed, as the log says; the/,
    ],
    ['cut', { limit: { kind: 'memory', detail: 'it used 2 GiB' } }, /; it used 2 GiB$/],
  ] as const)
    it(`tells what came in the way of an agent whose output ended as ${what}`, async () => {
      world.host.answers = () => report();
      run = { ...run, startSha: HEAD };
      const result = turnResult(changes);
      const { outcome } = await settle({ result: { ...result, agent: { ...result.agent, outcome: what } } });
      assert.match(outcome.reason, why);
    });

  it('leaves its outcome in the run directory', async () => {
    run = { ...run, order: syncOrder({ timeoutMs: 1_000 }) };
    await settle();
    const { slug, status, pr, exitCode, startedAt, finishedAt } = world.metadata(run);
    assert.deepEqual([slug, status, pr, exitCode], [SLUG, 'verified', 31, 0]);
    assert.deepEqual([startedAt, finishedAt], ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.002Z']);
    const other = await world.run({ slug: 'sync-other' });
    await settleSync(world.ports, { run: { ...other, slug: SLUG }, result: null, failure: 'x' }, signal);
    assert.deepEqual([world.metadata(other)['exitCode'], world.metadata(other)['reason']], [null, 'x']);
  });

  for (const [what, arrange, why] of [
    [
      'the bot may not push',
      () => {
        world.host.verdict = () => {
          throw new GitError('git push to alice/demo failed: 403', false);
        };
      },
      /push to alice\/demo failed: 403/,
    ],
    [
      'the fork has no pull requests',
      () => {
        world.host.forge.fault = (call) => {
          if (call.startsWith('open'))
            throw new ForgeHttpError(404, 'POST', '/pulls', 'the forge answered 404');
        };
      },
      /the forge answered 404/,
    ],
    [
      'it killed worker after worker',
      () => {
        world.ports.host.underWay.during = (work) => Promise.reject(new SetAsideError(work));
      },
      /settling turn 1 was under way at two crashes/,
    ],
  ] as const)
    it(`is failed, and cleared away, when ${what}`, async () => {
      arrange();
      const { outcome, settled } = await settle();
      assert.deepEqual([outcome.status, outcome.pr, isCleared()], ['failed', null, true]);
      assert.match(outcome.reason, why);
      assert.deepEqual(settled.publish, { kind: 'nothing', reason: outcome.reason });
      assert.equal(world.metadata(run)['reason'], outcome.reason);
    });

  it('is failed after three tries of what fails on this machine, and goes on after one', async () => {
    let tries = 0;
    const verdict = world.host.verdict;
    world.host.verdict = () => {
      tries += 1;
      if (tries === 1) throw new GitError('index.lock', true);
      return verdict();
    };
    assert.equal((await settle()).outcome.status, 'verified');
    world.host.verdict = () => {
      throw new GitError('index.lock', true);
    };
    const { outcome } = await settle();
    assert.deepEqual([outcome.status, outcome.reason], ['failed', 'index.lock']);
  });

  it('removes nothing while the engine is away', async () => {
    const away = new BottleRuntimeError('away', true, { away: true });
    world.host.answers = () => {
      throw away;
    };
    await assert.rejects(settle(), away);
    assert.equal(isCleared(), false);
  });
});
