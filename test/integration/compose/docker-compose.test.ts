import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { AGENT, ComposeHome } from '../../support/compose/compose-home.js';
import { Composition } from '../../support/compose/composition.js';
import { installGitea, type InstalledGitea } from '../../support/compose/install-gitea.js';
import { freePort } from '../../support/ports/free-port.js';
import { StackFiles } from '../../support/stack/stack-files.js';
import { waitUntil } from '../../support/stack/stack.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOCKET = '/var/run/docker.sock';
const LIFE_MS = 120_000;
const READY_MS = 60_000;

/** PostgreSQL is Debian's; the rest is compiled from the same versions that the file names. */
describe('docker-compose.yml, started with images made here', function () {
  this.timeout(600_000);
  const docker = new Docker();
  const runtime = dockerBottleRuntime();
  const webhookSecret = randomBytes(24).toString('hex');
  let ports: { readonly gitea: number; readonly webhook: number; readonly ui: number };
  let composition: Composition | undefined;
  let home: ComposeHome;
  let forge: InstalledGitea;

  const up = (): Composition => {
    assert.ok(composition !== undefined);
    return composition;
  };
  const at = (port: number): string => `http://127.0.0.1:${String(port)}`;

  before(async () => {
    // Nothing to do where set-up ran; else the test would try an image of other sources.
    await run(join(ROOT, 'script/images'), ['--quiet', 'orchestrator'], { cwd: ROOT });
    const [gitea, webhook, ui] = [await freePort(), await freePort(), await freePort()];
    ports = { gitea, webhook, ui };
    home = new ComposeHome({ 'webhook-secret': webhookSecret });
    const network = `bot-bottle-test-${randomBytes(4).toString('hex')}`;
    composition = new Composition({
      BOT_BOTTLE_HOME: home.dir,
      BOT_BOTTLE_USER: `${String(home.uid)}:${String(statSync(SOCKET).gid)}`,
      FORGE_GITEA_API: 'http://gitea:3000/api/v1',
      BUNDLE_NETWORK: network,
      GITEA_NETWORK: network,
      GITEA_PORT: String(gitea),
      WEBHOOK_PORT: String(webhook),
      TEMPORAL_UI_PORT: String(ui),
      TEMPORAL_DB_PASSWORD: randomBytes(12).toString('hex'),
    });
    // As somebody who begins: first the forge, for the tokens of its bot.
    await composition.run(['up', '-d', 'gitea']);
    forge = await installGitea(at(gitea));
    // As install.md says it, for there is no worker yet that a command could be run beside.
    const setSecret = ['run', '--rm', '-T', '--no-deps', 'worker', 'secret', 'set', 'forge-token'];
    await composition.run(setSecret, forge.bot.sidecarToken);
    home.addSecrets({ 'publish-token': forge.bot.publisherToken });
  });
  after(async () => {
    const slugs = new Set(await new StackFiles(home.dir).slugs());
    await composition?.run(['down', '--volumes', '--timeout', '5']);
    const bottles = (await runtime.list()).filter(({ slug }) => slugs.has(slug));
    for (const { slug } of bottles) {
      await runtime.remove(slug, 'agent');
      await runtime.remove(slug, 'bundle');
      await runtime.removeVolumes(slug);
    }
    home.remove();
    assert.deepEqual(
      bottles.map(({ name }) => name),
      [],
      'containers or volumes of a run are left',
    );
    assert.deepEqual(await composition?.left(docker), [], '`down --volumes` leaves something');
  });

  it('comes up in its order: database, tables, server, namespace, search attributes, then worker and webhook', async () => {
    await up().run(['up', '-d']);
    await waitUntil(
      'the webhook to be healthy',
      async () =>
        (await up().run(['ps', '--format', '{{.Service}} {{.Health}}'])).includes('webhook healthy'),
      READY_MS,
      500,
    );
    const ready: unknown = await (await fetch(`${at(ports.webhook)}/readyz`)).json();
    assert.deepEqual(ready, { status: 'ready', inbox: 'writable', temporal: 'reachable' });
    const once = await up().run(['ps', '-a', '--status', 'exited', '--format', '{{.Service}} {{.ExitCode}}']);
    assert.deepEqual(once.trim().split('\n').sort(), [
      'temporal-namespace 0',
      'temporal-schema 0',
      'temporal-setup 0',
    ]);
    assert.match(await up().run(['logs', 'temporal-setup']), /namespace default: added ForgeRepo, /);
    // Temporal's pages, over their own connection to the server.
    assert.match(await (await fetch(`${at(ports.ui)}/api/v1/namespaces`)).text(), /"name":\s*"default"/);
  });

  it('has a worker that finds its programs, the engine, the forge and the manifests of image and home', async () => {
    const agents = await up().run(['exec', '-T', 'worker', 'bot-bottle', 'agents', 'list', '--json']);
    for (const name of [AGENT, 'claude', 'codex']) assert.match(agents, new RegExp(`"name":\\s*"${name}"`));
    const { output } = await up().start(['exec', '-T', 'worker', 'bot-bottle', 'doctor']).ended;
    for (const check of ['git', 'engine', 'temporal', 'forge'])
      assert.match(output, new RegExp(`^ok +${check}`, 'm'));
  });

  it('has a webhook that the forge reaches, as `forge setup` finds out', async () => {
    const args = ['run', '--rm', '-T', 'worker', 'forge', 'setup', 'alice/demo'];
    args.push('--url', 'http://webhook:8080', '--admin-token-file', '-');
    const said = await up().run(args, forge.alice.token);
    assert.match(said, /ok delivery/, said);
  });

  it('carries an issue from label and assignment to a pull request, and destroys the run when that is closed', async () => {
    const { alice, bot } = forge;
    const issue = await alice.createIssue({
      title: 'Write notes',
      body: 'Please write notes.',
      labels: [`bot-bottle:${AGENT}`],
      assignees: [bot.login],
    });
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: issue } as const;
    const files = new StackFiles(home.dir);
    const reached = async (status: string): Promise<void> => {
      try {
        await waitUntil(
          `the run to be ${status}`,
          async () => (await rowOf())?.status === status,
          LIFE_MS,
          200,
        );
      } catch (error) {
        const logs = await up().run(['logs', '--tail', '60', 'worker', 'webhook']);
        throw new Error(`${JSON.stringify(await rowOf())}\n${logs}`, { cause: error });
      }
    };
    const rowOf = (): ReturnType<StackFiles['stateRow']> => files.stateRow(subject);
    await reached('frozen');
    assert.equal((await rowOf())?.reason, 'done', JSON.stringify(await rowOf()));
    const [pr] = await alice.api.list('/repos/alice/demo/pulls?state=open');
    assert.ok(typeof pr?.['number'] === 'number', 'no pull request');
    await alice.closePr(pr['number']);
    await reached('destroyed');
    const slug = (await rowOf())?.slug;
    assert.deepEqual(
      (await runtime.list()).filter((object) => object.slug === slug),
      [],
    );
  });

  it('sets up a server that starts late', async () => {
    await up().run(['stop', 'temporal']);
    const setup = up().start(['run', '--rm', '-T', '--no-deps', 'temporal-setup']);
    await waitUntil('`temporal setup` to wait', () =>
      setup.said().includes('waiting up to 60 s for Temporal'),
    );
    await up().run(['start', 'temporal']);
    const { code, output } = await setup.ended;
    assert.equal(code, 0, output);
    assert.match(output, /namespace default: nothing was missing/);
  });
});
