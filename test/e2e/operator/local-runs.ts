import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { FORGE_SOCKET_IN_BOTTLE as SOCKET } from '../../../src/domain/prompt/forge-overlay.js';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { Life } from '../../support/stack/life.js';
import { operatorStack } from './stack.js';

const execute = promisify(execFile);
/** In which no other run of this stack is. */
const PLACE = 'trial';
const REPO = `alice/${PLACE}`;
const AGENT = `---
provider: scripted
bottle: default
git:
  user:
    name: player
    email: player@bot-bottle.invalid
---

You play.
`;

/** The sidecar's socket is there, and says what it serves. */
const ASK_FORGE = `run until [ -S ${SOCKET} ]; do sleep 0.1; done; node -e 'require("node:http").request({socketPath:"${SOCKET}",path:"/rpc",method:"POST"},(answer)=>answer.pipe(process.stdout)).end("{}")'`;

interface Json {
  readonly slug: string;
  readonly workflowId: string;
  readonly sessionId: string;
  readonly doneStatus: string | null;
  readonly fetch: string | null;
}

describe('a run without an issue', function () {
  this.timeout(240_000);
  const { stack, client } = operatorStack();
  let directory: string;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'bb-source-'));
    await mkdir(join(stack().home, 'agents'), { recursive: true });
    await writeFile(join(stack().home, 'agents/player.md'), AGENT, { mode: 0o600 });
    await stack().gitea.addRepository(stack().gitea.alice, PLACE);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const git = async (where: string, ...args: string[]): Promise<string> =>
    (await execute('git', ['-C', where, '-c', 'safe.directory=*', ...args])).stdout.trim();

  /** All that somebody could have written to the repository. */
  async function onForge(): Promise<string> {
    const { api } = stack().gitea.alice;
    const paths = ['branches', 'tags', 'pulls?state=all', 'issues?state=all', 'issues/comments'];
    const lists = await Promise.all(paths.map((path) => api.everyPage(`/repos/${REPO}/${path}`)));
    return JSON.stringify(lists);
  }

  async function start(...args: string[]): Promise<Json> {
    const ran = await stack().run(['orchestrate', 'start', '--agent', 'player', ...args, '--json']);
    return JSON.parse(ran) as Json;
  }

  async function resume(slug: string, ...lines: string[]): Promise<Json> {
    const prompt = bottleScript(...lines);
    const ran = await stack().run([
      ...['orchestrate', 'resume', '--slug', slug, '--prompt', prompt, '--wait', '--json'],
    ]);
    return JSON.parse(ran) as Json;
  }

  it('of a repository keeps its commits for the operator, and the forge never hears of it', async () => {
    const before = await onForge();
    const prompt = bottleScript('write a.md x', 'commit First', ASK_FORGE, WAIT_FOR_TEST);
    const { slug, workflowId } = await start('--repo', REPO, '--prompt', prompt, '--label', 'A trial');
    assert.match(slug, /^player-alice-trial-local-[a-z0-9]{5}$/);
    assert.equal(workflowId, `local:${slug}`);
    const life = Life.local(stack(), client(), slug);
    await life.waits(slug);

    const bundle = await new Docker().getContainer(containerName(slug, 'bundle')).inspect();
    const mounts = bundle.Mounts.map(({ Destination }) => Destination);
    assert.deepEqual(
      mounts.filter((place) => /token|loopback/.test(place)),
      [],
    );
    const told = bundle.Config.Env.filter((one) => one.startsWith('FORGE_'));
    assert.deepEqual(told, ['FORGE_KIND=none']);
    assert.ok(!existsSync(life.files.path(slug, 'bundle', 'forge-token')));
    const [first = ''] = await life.files.prompts(slug);
    assert.doesNotMatch(first, /issue tracker|signal_done/);

    await life.files.letGo(slug);
    await life.frozen(1, 'done');
    assert.match(await life.files.agentLog(slug, 1), /there is POST \/supervise\/mcp, GET \/healthz/);
    const row = (await life.files.stateRows()).find((one) => one.slug === slug);
    assert.deepEqual([row?.forge, row?.issueUrl, row?.prNumber], ['local', REPO, null]);
    const described = await client().workflow.getHandle(workflowId).describe();
    assert.match((await described.staticSummary()) ?? '', /A trial/);

    const status = await stack().cli(['orchestrate', 'status']);
    const [, fetch = ''] = new RegExp(`^ +(git fetch .*${slug})$`, 'm').exec(status.stdout) ?? [];
    const clone = join(directory, 'clone');
    await execute('git', [
      'clone',
      '-q',
      join(stack().home, 'mirrors', 'gitea', 'alice', await mirrorName()),
      clone,
    ]);
    await execute('sh', ['-c', fetch], { cwd: clone });
    assert.equal(await git(clone, 'show', `bot-bottle/${slug}:a.md`), 'x');

    const again = await resume(slug, 'run cat a.md', 'write b.md y', 'commit Second');
    assert.equal(again.doneStatus, 'success');
    const session = await life.files.session(slug);
    assert.equal(session.id, again.sessionId);
    assert.deepEqual(
      session.turns.map(({ turn }) => turn),
      [1, 2],
    );
    await execute('sh', ['-c', again.fetch ?? 'false'], { cwd: clone });
    assert.equal(await git(clone, 'show', `bot-bottle/${slug}:b.md`), 'y');

    await stack().run(['signal', slug, 'destroy']);
    await life.ended();
    assert.ok(!existsSync(life.files.path(slug, 'workspace')));
    assert.ok(existsSync(life.files.path(slug, 'work.bundle')), 'the commits stay');
    assert.equal(await onForge(), before);
  });

  it('of a directory takes its commits and nothing else, and leaves it as it is', async () => {
    const source = join(directory, 'My Project');
    const marker = join(directory, 'ran');
    await execute('git', ['init', '-q', '-b', 'trunk', source]);
    await git(source, 'config', 'user.name', 'me');
    await git(source, 'config', 'user.email', 'me@example.org');
    await writeFile(join(source, 'committed.txt'), 'in');
    await git(source, 'add', '.');
    await git(source, 'commit', '-qm', 'Begin');
    await writeFile(join(source, 'not-committed.txt'), 'out');
    const trap = join(directory, 'trap');
    await writeFile(trap, `#!/bin/sh\ntouch '${marker}'\nexit 1\n`);
    await chmod(trap, 0o755);
    for (const key of ['uploadpack.packObjectsHook', 'core.fsmonitor', 'core.sshCommand'])
      await git(source, 'config', key, trap);
    // Somebody else's, as far as git can tell.
    if (process.getuid?.() === 0) await execute('chown', ['-R', '4321:4321', source]);
    const state = async (): Promise<string> =>
      [await git(source, 'for-each-ref'), await git(source, 'rev-parse', 'HEAD'), await tree()].join('\n');
    const tree = async (): Promise<string> =>
      (await execute('find', [source, '-type', 'f', '-printf', '%P %s %U %T@\n'])).stdout;
    const before = await state();

    const prompt = bottleScript('run ls', 'write new.txt z', 'commit Work');
    const { slug, fetch } = await start('--dir', source, '--prompt', prompt, '--wait');
    assert.match(slug, /^player-my-project-local-[a-z0-9]{5}$/);
    const life = Life.local(stack(), client(), slug);
    const log = await life.files.agentLog(slug, 1);
    assert.match(log, /committed\.txt/);
    assert.doesNotMatch(log, /not-committed/);
    assert.equal(await state(), before, 'nothing is written there');
    assert.ok(!existsSync(marker), 'nothing of its configuration is run');

    const clone = join(directory, 'clone-of-directory');
    await git(
      directory,
      'clone',
      '-q',
      '--no-local',
      '-u',
      'git -c safe.directory=* upload-pack',
      source,
      clone,
    );
    await execute('sh', ['-c', fetch ?? 'false'], { cwd: clone });
    assert.equal(await git(clone, 'show', `bot-bottle/${slug}:new.txt`), 'z');
    await stack().run(['signal', slug, 'destroy']);
    await life.ended();
  });

  it('is not begun from what is no repository, and says what to do', async () => {
    const empty = join(directory, 'empty');
    await mkdir(empty, { recursive: true });
    const unborn = join(directory, 'unborn');
    await execute('git', ['init', '-q', unborn]);
    for (const [dir, why] of [
      [join(directory, 'missing'), /there is no directory/],
      [empty, /no git repository .* git init/],
      [unborn, /first commit/],
    ] as const) {
      const ran = await stack().cli([
        'orchestrate',
        'start',
        '--agent',
        'player',
        '--prompt',
        'x',
        '--dir',
        dir,
      ]);
      assert.equal(ran.code, 2, ran.stderr);
      assert.match(ran.stderr, why);
    }
    const unknown = await stack().cli([
      ...['orchestrate', 'start', '--agent', 'player', '--prompt', 'x', '--repo', 'alice/nothing'],
    ]);
    assert.equal(unknown.code, 3, unknown.stderr);
  });

  async function mirrorName(): Promise<string> {
    const { stdout } = await execute('ls', [join(stack().home, 'mirrors', 'gitea', 'alice')]);
    const [name = ''] = stdout.split('\n').filter((one) => one.startsWith(`${PLACE}-`));
    return name;
  }
});
