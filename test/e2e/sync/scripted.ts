import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { StackFiles } from '../../support/stack/stack-files.js';
import { waitUntil } from '../../support/stack/stack.js';
import { partOf } from '../../support/stack/processes.js';
import type { SyncStack } from '../../support/sync/sync-stack.js';
import { syncStack } from './stack.js';

const MERGE = 'merge upstream/trunk';

describe('a fork is merged with its upstream', function () {
  this.timeout(240_000);
  let world: SyncStack;

  before(async () => {
    ({ world } = await syncStack());
  });

  /** Nothing of the run is left but its directory. */
  async function isCleared(slug: string | null): Promise<void> {
    assert.ok(slug !== null);
    assert.deepEqual(await dockerBottleRuntime().list(slug), []);
    assert.ok(!existsSync(join(world.stack.home, 'state', slug, 'bundle')), 'secrets are gone');
  }

  /** The run of the one agent that works on the fork, as soon as it does. */
  async function agentOf(fork: string): Promise<string> {
    let slugs: string[] = [];
    await waitUntil('the agent to work', async () => {
      const running = await dockerBottleRuntime().runningAgents();
      slugs = running.filter((slug) => slug.startsWith(`sync-alice-${fork}-`));
      return slugs.length === 1;
    });
    return slugs[0] ?? '';
  }

  it('cleanly: a pull request, then nothing to do, for as long as that waits and after it is merged', async () => {
    const fork = await world.fork('clean');
    await fork.onFork({ 'own.txt': 'the fork’s\n' });
    const upstream = await fork.onUpstream({
      'theirs.txt': 'upstream’s\n',
      '.github/workflows/build.yml': 'on: [push, pull_request]\n',
    });
    await world.script('clean', 'run git remote', MERGE);
    const { code, outcome, stderr } = await world.sync(fork, '--manifest', 'clean');
    assert.deepEqual([code, outcome.status], [0, 'verified'], `${stderr}${outcome.reason}`);
    const [pull] = await fork.pulls();
    assert.deepEqual(pull, { number: outcome.pr, head: outcome.branch, base: 'main' });
    const head = outcome.branch ?? '';
    assert.match(head, /^bot-bottle\/sync-\d{8}_\d{6}$/);
    assert.equal(await fork.fileOn(head, 'theirs.txt'), 'upstream’s');
    assert.equal(await fork.fileOn(head, 'own.txt'), 'the fork’s');
    assert.equal(await fork.fileOn(head, '.github/workflows/build.yml'), 'on: [push, pull_request]');
    await fork.git('merge-base', '--is-ancestor', upstream, `origin/${head}`);

    const runDir = outcome.runDir ?? '';
    assert.match(runDir, new RegExp(`^${world.dir}/state/forklift/runs/clean_\\d{8}_\\d{6}$`));
    assert.deepEqual((await readdir(runDir)).sort(), ['harness-state', 'metadata.json', 'workspace']);
    for (const name of ['workspace', 'harness-state']) {
      const { uid, gid, mode } = await stat(join(runDir, name));
      assert.deepEqual([uid, gid, mode & 0o777], [1000, 1000, 0o755]);
    }
    assert.equal((await stat(runDir)).mode & 0o777, 0o700);
    assert.equal((await stat(join(runDir, 'metadata.json'))).mode & 0o777, 0o600);
    assert.doesNotMatch(await readFile(join(runDir, 'workspace/.git/config'), 'utf8'), /remote/);
    assert.ok((await readdir(join(runDir, 'harness-state'))).length > 0, 'the agent lived there');
    const { status, harness } = await world.metadata(runDir);
    assert.equal(status, 'verified');
    assert.match(JSON.stringify(harness), /bottle-entrypoint/);
    await isCleared(outcome.slug);

    const again = await world.sync(fork, '--manifest', 'clean');
    assert.deepEqual([again.code, again.outcome.status, again.outcome.pr], [18, 'unchanged', outcome.pr]);
    assert.equal(again.outcome.runDir, null, 'no container');

    // Upstream goes on while the pull request waits: it is gone on with.
    await fork.onUpstream({ 'more.txt': 'more\n' });
    const further = await world.sync(fork, '--manifest', 'clean');
    assert.deepEqual(
      [further.code, further.outcome.pr, further.outcome.branch],
      [0, outcome.pr, head],
      further.outcome.reason,
    );
    assert.equal(await fork.fileOn(head, 'more.txt'), 'more');

    await world.stack.gitea.alice.on(fork.repo).mergePr(outcome.pr ?? 0);
    const merged = await world.sync(fork, '--manifest', 'clean');
    assert.deepEqual([merged.code, merged.outcome.status, merged.outcome.pr], [18, 'unchanged', null]);
  });

  it('by one agent, though the worker is killed while it works', async () => {
    const fork = await world.fork('killed');
    const files = new StackFiles(world.stack.home);
    await fork.onUpstream({ 'theirs.txt': 'x\n' });
    await world.script('slow', WAIT_FOR_TEST, MERGE);
    const syncing = world.sync(fork, '--manifest', 'slow');
    const slug = await agentOf('killed');
    const { stdout } = await world.stack.cli(['orchestrate', 'status', '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { phase: string; stale: boolean }[] };
    assert.deepEqual(
      runs.map(({ phase, stale }) => [phase, stale]),
      [['running', false]],
    );
    process.kill(await partOf(world.stack, 'worker'), 'SIGKILL');
    await waitUntil('another worker to watch', () =>
      world.stack.output.includes(`"slug":"${slug}","turn":1,"how":"attach"`),
    );
    await files.letGo(slug);
    const { code, outcome } = await syncing;
    assert.deepEqual([code, outcome.status], [0, 'verified'], outcome.reason);
    assert.equal(await files.invocations(outcome.slug ?? '', 1), 1);
    assert.equal((await fork.pulls()).length, 1);
    await isCleared(outcome.slug);
  });

  it('not at all when the time is over, whatever was committed by then', async () => {
    const fork = await world.fork('late');
    await fork.onUpstream({ 'theirs.txt': 'x\n' });
    const before = await fork.onForge();
    await world.script('late', MERGE, 'hang');
    const { code, outcome } = await world.sync(fork, '--manifest', 'late', '--timeout', '5s');
    assert.deepEqual([code, outcome.status], [14, 'timeout'], outcome.reason);
    assert.equal(await fork.onForge(), before);
    assert.ok(existsSync(join(outcome.runDir ?? '', 'workspace/theirs.txt')), 'files are left in place');
    await isCleared(outcome.slug);
  });

  it('no further when an operator calls it off, as status and dashboard name it', async () => {
    const fork = await world.fork('off');
    await fork.onUpstream({ 'theirs.txt': 'x\n' });
    const before = await fork.onForge();
    await world.script('idle', 'sleep 60', MERGE);
    const syncing = world.sync(fork, '--manifest', 'idle');
    const { stack } = world;
    const slug = await agentOf('off');
    const signal = async (kind: string): Promise<readonly [number | null, string]> => {
      const { code, stdout, stderr } = await stack.cli(['signal', slug, kind]);
      return [code, `${stdout}${stderr}`.trim()];
    };
    const refused = 'bot-bottle: refused: a sync is one turn: it takes destroy, which calls it off';
    assert.deepEqual(await signal('freeze'), [4, refused]);
    assert.deepEqual(await signal('destroy'), [0, `${slug}: destroy accepted, destroying`]);
    const { code, outcome } = await syncing;
    assert.deepEqual([code, outcome.status, outcome.reason], [12, 'failed', 'it was called off']);
    assert.equal(await fork.onForge(), before);
    await isCleared(outcome.slug);
    assert.deepEqual(await signal('destroy'), [4, `bot-bottle: refused: ${slug} has ended`]);
    const record = await stack.cli(['provenance', 'verify', slug, '--json']);
    assert.ok((JSON.parse(record.stdout) as { ok: boolean }).ok, record.stdout);
    const shown = await stack.cli(['provenance', 'show', slug]);
    assert.match(
      shown.stdout,
      /operatorCommand +\["[^"]+\/start"\][\s\S]+operatorCommand +\["[^"]+\/destroy"\]/,
    );
  });
});
