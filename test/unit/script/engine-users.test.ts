import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stubDocker } from '../../support/script/docker-stub.js';
import { ScriptWorld } from '../../support/script/script-world.js';
import { waitUntil } from '../../support/stack/stack.js';

/** Answers from its start on, unless there is a file `slow`, and until SIGTERM. */
const DOCKERD = `
trap 'touch "$ROOT/engine/down"; exit 0' TERM
echo $$ >"$ROOT/docker.pid"
[[ -f $ROOT/slow ]] || rm -f "$ROOT/engine/down"
while :; do sleep 0.05; done`;

/** As long as there is a file of its name. */
const WORK = `
case "\${0##*/} $*" in
  npm*) name=test ;;
  *chaos*) name=chaos ;;
  *demo*) name=demo ;;
  *) name=bench ;;
esac
touch "$ROOT/begun-$name"
while [[ -f $ROOT/long-$name ]]; do sleep 0.05; done`;

/** What set-up does about the engine, and nothing else. */
const BOOTSTRAP = `
set -euo pipefail
source "$ROOT/script/lib/common.sh"
source "$ROOT/script/lib/docker.sh"
exec 8>&1
case " $* " in
  *' --quiet '*) QUIET=1 ;;
esac
case " $* " in
  *' --stop '*) stop_dockerd ;;
  *) docker_answers || start_dockerd; [[ ! -f $ROOT/failing ]] || exit 1 ;;
esac`;

describe('an engine that a script had to start', function () {
  this.timeout(60_000);
  let world: ScriptWorld;
  let children: Map<string, ChildProcess>;

  beforeEach(() => {
    world = new ScriptWorld('script/demo', 'script/test', 'script/bench', 'script/chaos');
    children = new Map();
    stubDocker(world);
    world.write('engine/down', '');
    world.stub('dockerd', DOCKERD);
    world.stub('script/bootstrap', BOOTSTRAP);
    world.stub('node', WORK);
    world.stub('npm', WORK);
  });
  afterEach(async () => {
    for (const child of children.values()) child.kill('SIGKILL');
    if (runs()) process.kill(Number(world.read('docker.pid')), 'SIGKILL');
    await waitUntil('the engine to be gone', () => !runs());
    world.remove();
  });

  const runs = (): boolean => {
    const file = path.join(world.root, 'docker.pid');
    const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    return pid !== '' && existsSync(`/proc/${pid}`);
  };
  /** In a process group of its own, as a shell starts it. */
  const start = (name: string, ...args: readonly string[]): ChildProcess => {
    const out = openSync(path.join(world.root, `said-${name}`), 'a');
    const child = spawn(path.join(world.root, 'script', name), args, {
      cwd: world.root,
      env: world.env,
      detached: true,
      stdio: ['ignore', out, out],
    });
    closeSync(out);
    children.set(name, child);
    return child;
  };
  const said = (name: string): string => world.read(`said-${name}`);
  /** Until it is past set-up. */
  const begin = async (name: string, ...args: readonly string[]): Promise<ChildProcess> => {
    world.write(`long-${name}`, '');
    const child = start(name, ...args);
    await waitUntil(`${name} to have begun`, () => world.has(`begun-${name}`));
    return child;
  };
  const end = async (name: string): Promise<void> => {
    const child = children.get(name);
    assert.ok(child);
    const ended = once(child, 'exit');
    rmSync(path.join(world.root, `long-${name}`));
    await ended;
  };
  const interrupt = async (child: ChildProcess): Promise<unknown> => {
    const ended = once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGINT');
    const [code] = (await ended) as [unknown];
    return code;
  };

  for (const [name, ...args] of [['demo'], ['test', 'types']] as const) {
    it(`is stopped when script/${name} has ended`, () => {
      world.run(`script/${name}`, args);
      assert.ok(world.calls().some((call) => call.startsWith('dockerd')));
      assert.equal(runs(), false);
    });

    it(`goes on with BOT_BOTTLE_KEEP_ENGINE=1 when script/${name} has ended`, () => {
      world.run(`script/${name}`, args, { BOT_BOTTLE_KEEP_ENGINE: '1' });
      assert.equal(runs(), true);
    });

    it(`goes on when script/${name} has ended that found it running`, () => {
      world.run('script/bootstrap');
      world.run(`script/${name}`, args);
      assert.equal(runs(), true);
    });

    it(`goes on when script/${name} has ended beside another one that needs it, which is said`, async () => {
      await begin(name, ...args);
      const other = await begin('bench');
      await end(name);
      assert.match(said(name), /docker engine … another .*needs it/);
      assert.equal(runs(), true);
      await end('bench');
      assert.equal(other.exitCode, 0);
      world.run('script/bootstrap', ['--stop']);
      assert.equal(runs(), false);
    });
  }

  for (const [name, ...args] of [['demo'], ['test', 'types'], ['bench'], ['chaos']] as const)
    it(`is not stopped under script/${name}`, async () => {
      await begin(name, ...args);
      assert.match(world.run('script/bootstrap', ['--quiet', '--stop']).stdout, /another .*needs it/);
      assert.equal(runs(), true);
      await end(name);
    });

  it('is stopped when set-up fails', () => {
    world.write('failing', '');
    assert.equal(world.run('script/demo').status, 1);
    assert.equal(runs(), false);
  });

  it('is stopped when set-up is interrupted while it waits for it', async () => {
    world.write('slow', '');
    const demo = start('demo');
    await waitUntil('the engine to begin', () => runs() && world.has('cache/dockerd.pid'));
    assert.equal(await interrupt(demo), 130);
    assert.equal(runs(), false);
  });

  it('can be stopped by --stop when what started it was killed while it waited for it', async () => {
    world.write('slow', '');
    const demo = start('demo');
    await waitUntil('the engine to begin', () => runs() && world.has('cache/dockerd.pid'));
    process.kill(-(demo.pid ?? 0), 'SIGKILL');
    await once(demo, 'exit');
    world.run('script/bootstrap', ['--stop']);
    assert.equal(runs(), false);
  });
});
