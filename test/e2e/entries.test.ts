import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import {
  EntryProcess,
  loadedModules,
  recorded,
  type Ended,
  type LoadedModules,
} from '../support/entries/entry-process.js';
import { ProductHome } from '../support/entries/product-home.js';
import { waitUntil } from '../support/stack/stack.js';
import { useTempDir } from '../support/webhook/temp-dir.js';

/** What only the worker may have: the engine, the workflows' machinery, what git is run with. */
const WORKER_PACKAGES = ['dockerode', 'docker-modem', '@temporalio/worker', '@temporalio/core-bridge'];
const WORKER_FOLDERS = ['activities', 'adapters/docker', 'adapters/git', 'adapters/gitleaks'];

/** What only a process that traces may have. prom-client loads OpenTelemetry's interface, which is none of it. */
const TRACING = ['@opentelemetry/sdk-trace-base', '@temporalio/interceptors-opentelemetry'];

describe('the entries of the compiled product', function () {
  this.timeout(60_000);
  const path = useTempDir();
  let count = 0;
  const fresh = (name: string): string => path(`${name}-${String((count += 1))}`);

  const node = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> =>
    EntryProcess.start([process.execPath, ...args], env).ended();

  /** An empty home, as on a machine where nothing was set up. */
  async function emptyHome(): Promise<Record<string, string>> {
    const HOME = fresh('home');
    await mkdir(HOME);
    return { HOME };
  }

  async function run(
    env: Readonly<Record<string, string>>,
    entry: string,
    ...args: string[]
  ): Promise<Ended & { readonly loaded: LoadedModules }> {
    const file = fresh('modules');
    const start = recorded(file, entry, ...args);
    const ended = await EntryProcess.start(start.command, { ...env, ...start.env }).ended();
    return { ...ended, loaded: await loadedModules(file) };
  }

  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  for (const [entry, args, env] of [
    ['dist/webhook.js', [], {}],
    ['dist/cli.js', ['webhook'], {}],
    ['dist/webhook.js', [], traced],
  ] as const) {
    it(`${env === traced ? 'traced, ' : ''}node ${[entry, ...args].join(' ')} takes deliveries, and has loaded nothing of the engine`, async () => {
      const home = await ProductHome.make();
      const file = fresh('modules');
      const start = recorded(file, entry, ...args);
      const webhook = EntryProcess.start(start.command, { ...home.env, ...env, ...start.env });
      try {
        const url = `http://127.0.0.1:${String(home.ports.webhook)}/healthz`;
        await waitUntil('the webhook to answer', async () => {
          assert.equal(webhook.child.exitCode, null, webhook.stderr);
          return fetch(url).then(
            ({ status }) => status === 200,
            () => false,
          );
        });
        const { code, stderr } = await webhook.stop();
        assert.equal(code, 0, stderr);
        const { packages, folders } = await loadedModules(file);
        const has = (names: readonly string[], all: ReadonlySet<string>): string[] =>
          names.filter((name) => all.has(name));
        assert.deepEqual(has(['express', '@temporalio/client', 'better-sqlite3'], packages).length, 3);
        assert.deepEqual(has(['webhook', 'adapters/gitea'], folders).length, 2);
        assert.deepEqual(has(WORKER_PACKAGES, packages), []);
        assert.deepEqual(has(WORKER_FOLDERS, folders), []);
        assert.deepEqual(has(TRACING, packages), env === traced ? TRACING : []);
        assert.equal(folders.has('adapters/otlp'), env === traced);
      } finally {
        webhook.child.kill('SIGKILL');
        await webhook.ended();
        await home.remove();
      }
    });
  }

  for (const args of [['version'], ['--help'], ['orchestrate', 'start', '--help'], ['nonsense']]) {
    it(`bot-bottle ${args.join(' ')} loads the command line and nothing else`, async () => {
      const { loaded, stdout, stderr } = await run(await emptyHome(), 'dist/cli.js', ...args);
      assert.notEqual(stdout + stderr, '');
      assert.deepEqual([...loaded.packages], ['commander']);
      const folders = [...loaded.folders].map((folder) => folder.split('/')[0]);
      assert.deepEqual([...new Set(folders)].sort(), ['.', 'cli', 'domain', 'wiring']);
    });
  }

  it('bot-bottle dashboard without a terminal says what to use, and has loaded nothing for it', async () => {
    const { code, stderr, loaded } = await run(await emptyHome(), 'dist/cli.js', 'dashboard');
    assert.equal(code, 2);
    assert.match(stderr, /needs a terminal: without one, bot-bottle proposals /);
    assert.deepEqual([...loaded.packages], ['commander']);
  });

  it('node dist/worker.js is the worker, which has no web server', async () => {
    const { code, stderr, loaded } = await run(await emptyHome(), 'dist/worker.js');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^bot-bottle: nothing was started:$/m);
    assert.match(stderr, /secret set forge-token < file/);
    assert.deepEqual(
      WORKER_PACKAGES.filter((name) => !loaded.packages.has(name)),
      [],
    );
    assert.ok(!loaded.packages.has('express'));
  });

  it('bot-bottle up is a supervisor, which has nothing of the engine, the worker, the web server or Temporal', async () => {
    const env = { ...(await emptyHome()), FORGE_NONSENSE: '1' };
    const { code, stderr, loaded } = await run(env, 'dist/cli.js', 'up');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^bot-bottle: nothing was started:$/m);
    assert.equal(stderr.split('FORGE_NONSENSE').length - 1, 1, `its parts do not warn again: ${stderr}`);
    // What it holds of the machine is mostly what it loads: each of the others would be half as much again.
    assert.deepEqual([...loaded.packages].sort(), ['commander', 'yaml']);
    assert.deepEqual(
      [...WORKER_FOLDERS, 'webhook', 'adapters/gitea'].filter((name) => loaded.folders.has(name)),
      [],
    );
  });

  for (const [role, entry] of [
    ['worker', 'dist/worker.js'],
    ['webhook', 'dist/webhook.js'],
  ] as const) {
    it(`${entry} and \`bot-bottle ${role}\` say what they need with the same words and the same exit code`, async () => {
      const env = { ...(await emptyHome()), FORGE_NONSENSE: '1' };
      const [direct, command] = await Promise.all([node(env, entry), node(env, 'dist/cli.js', role)]);
      assert.match(direct.stderr, /^warning: FORGE_NONSENSE in the environment is no setting$/m);
      for (const said of [/FORGE_GITEA_API is not set/, /secret set forge-token </])
        assert.match(direct.stderr, said);
      assert.equal(direct.stderr.includes('secret set webhook-secret <'), role === 'webhook');
      assert.deepEqual([direct.code, command.code, direct.stderr], [2, 2, command.stderr]);
      const wrong = { ...env, WEBHOOK_LISTEN: 'nowhere' };
      const [one, other] = await Promise.all([node(wrong, entry), node(wrong, 'dist/cli.js', role)]);
      assert.match(one.stderr, /^bot-bottle: environment: WEBHOOK_LISTEN: /);
      assert.deepEqual([one.code, one.stderr], [2, other.stderr]);
    });

    it(`${entry} takes no arguments`, async () => {
      const { code, stderr } = await node(await emptyHome(), entry, '--port', '1');
      assert.equal(code, 2);
      assert.match(stderr, /takes no arguments/);
    });
  }

  for (const script of ['start', 'worker', 'webhook']) {
    it(`npm run ${script} starts it`, async () => {
      const npm = EntryProcess.start(['npm', 'run', '--silent', script], await emptyHome());
      const { code, stderr } = await npm.ended();
      assert.equal(code, 2, stderr);
      assert.match(stderr, /FORGE_GITEA_API is not set/);
    });
  }
});
