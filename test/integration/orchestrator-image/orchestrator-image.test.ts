import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { parse } from 'yaml';
import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import { IMAGE, LABEL, ServiceContainer } from '../../support/orchestrator-image/service-container.js';
import { makeServiceHome } from '../../support/orchestrator-image/service-home.js';
import type { ServiceHome } from '../../support/orchestrator-image/service-home.js';
import { waitUntil } from '../../support/stack/stack.js';
import { issueEvent } from '../../support/webhook/payloads.js';
import { deliveryHeaders } from '../../support/webhook/sign.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOCKET = '/var/run/docker.sock';
const BUILD_MS = 300_000;
const START_MS = 15_000;
/** Nobody listens there, least of all in a container of its own. */
const NOWHERE = '127.0.0.1:9';

const run = promisify(execFile);

interface Compose {
  readonly services: Readonly<Record<string, { readonly image: string; readonly command?: string[] }>>;
}

describe('the service’s own image', function () {
  this.timeout(30_000);
  const docker = new Docker();
  let home: ServiceHome;
  let settings: Readonly<Record<string, string>>;
  const started: ServiceContainer[] = [];

  before(async function () {
    // Two or three minutes the first time, mostly for compiling SQLite; seconds when only the product has changed.
    this.timeout(BUILD_MS);
    await run(join(ROOT, 'script/images'), ['--quiet', 'orchestrator'], { cwd: ROOT });
  });
  beforeEach(() => {
    home = makeServiceHome();
    settings = {
      BOT_BOTTLE_HOME: home.dir,
      FORGE_GITEA_API: `http://${NOWHERE}/api/v1`,
      FORGE_PUBLISH_TOKEN_FILE: join(home.dir, 'secrets/publish-token'),
      TEMPORAL_ADDRESS: NOWHERE,
    };
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.remove()));
    home.remove();
  });
  after(async () => {
    const left = await docker.listContainers({ all: true, filters: { label: [LABEL] } });
    assert.deepEqual(
      left.map(({ Names: names }) => names),
      [],
    );
    assert.equal(existsSync(home.dir), false);
  });

  const startWebhook = async (): Promise<{ readonly service: ServiceContainer; readonly url: string }> => {
    const service = await ServiceContainer.start(docker, {
      args: ['webhook'],
      user: home.user,
      env: { ...settings, WEBHOOK_LISTEN: '0.0.0.0:8080' },
      mounts: [home.dir],
      publish: 8080,
    });
    started.push(service);
    const url = await service.url();
    try {
      await waitUntil(
        'the webhook to listen',
        async () => {
          assert.ok(await service.isRunning(), 'it ended');
          // The engine's port proxy takes a connection before anybody listens inside, and may keep it for ever.
          return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
            ({ status }) => status === 200,
            () => false,
          );
        },
        START_MS,
      );
    } catch (error) {
      throw new Error(`no webhook: ${(await service.output()).stderr}`, { cause: error });
    }
    return { service, url };
  };

  it('is left as it is when nothing has changed', async () => {
    const before = (await docker.getImage(IMAGE).inspect()).Id;
    const { stdout } = await run(join(ROOT, 'script/images'), ['orchestrator'], { cwd: ROOT });
    assert.match(stdout, /^==> bot-bottle\/orchestrator:dev +unchanged /m);
    assert.match(stdout, /^==> bot-bottle\/orchestrator-modules:dev +unchanged /m);
    assert.equal((await docker.getImage(IMAGE).inspect()).Id, before);
  });

  it('holds the product, its modules, and nothing else of the checkout', async () => {
    const service = await ServiceContainer.start(docker, {
      args: ['webhook'],
      user: home.user,
      env: settings,
      mounts: [home.dir],
    });
    started.push(service);
    const names = (await service.exec(['ls', '-A', '/opt/bot-bottle'])).trim().split('\n').sort();
    assert.deepEqual(names, ['dist', 'manifests', 'node_modules', 'package.json']);
    const dist = (await service.exec(['ls', '-A', '/opt/bot-bottle/dist'])).trim().split('\n');
    assert.ok(dist.includes('cli.js'), dist.join());
    assert.deepEqual(
      dist.filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('knows the agents that come with the product', async () => {
    const ended = await ServiceContainer.run(docker, {
      args: ['agents', 'list', '--json'],
      user: home.user,
      env: settings,
      mounts: [home.dir],
    });
    assert.equal(ended.exitCode, 0, ended.stderr);
    for (const name of ['claude', 'codex', 'opencode', 'pi'])
      assert.match(ended.stdout, new RegExp(`"${name}"`));
  });

  it('has the program by its name', async () => {
    const { service } = await startWebhook();
    assert.match(await service.exec(['bot-bottle', 'version']), /^\d+\.\d+\.\d+\n$/);
  });

  it('prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const ended = await ServiceContainer.run(docker, { args: ['version'], user: home.user });
    assert.deepEqual(ended, { exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('knows every command that docker-compose.yml gives it', async () => {
    const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
    const { services } = parse(text, { merge: true }) as Compose;
    const ours = Object.entries(services).filter(([, { image }]) => image === IMAGE);
    assert.deepEqual(ours.map(([name]) => name).sort(), ['temporal-setup', 'webhook', 'worker']);
    await Promise.all(
      ours.map(async ([name, { command = [] }]) => {
        assert.notDeepEqual(command, [], name);
        const args = [...command, '--help'];
        const { exitCode, stdout, stderr } = await ServiceContainer.run(docker, { args, user: home.user });
        assert.equal(exitCode, 0, `${name}: ${stderr}`);
        assert.ok(stdout.startsWith(`Usage: bot-bottle ${command.join(' ')} `), `${name}: ${stdout}`);
      }),
    );
  });

  it('takes deliveries while Temporal is away, and has them on the disk when it is killed right after', async () => {
    const { service, url } = await startWebhook();
    assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), {
      status: 'ready',
      inbox: 'writable',
      temporal: 'unreachable',
    });
    const body = JSON.stringify(issueEvent({ labels: ['bot-bottle:demo'] }));
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${url}/webhooks/gitea`, { method: 'POST', body, headers });
    assert.equal((await post(deliveryHeaders(body, 'issues', 'not the secret'))).status, 401);
    assert.equal((await post(deliveryHeaders(body, 'issues'))).status, 202);
    await service.kill();

    const inbox = openInbox(join(home.dir, 'inbox.db'));
    try {
      // The dispatcher may have put it off already, as no forge answers.
      const kept = inbox.due(Date.now() + 24 * 3600 * 1000, 10);
      const hash = createHash('sha256').update(body).digest('hex');
      assert.deepEqual(
        kept.map(({ bodyHash, orderKey }) => ({ bodyHash, orderKey })),
        [{ bodyHash: hash, orderKey: 'gitea:alice/demo#12' }],
      );
    } finally {
      inbox.close();
    }
    const { uid, mode } = statSync(join(home.dir, 'inbox.db'));
    assert.deepEqual([`${String(uid)}:${String(uid)}`, mode & 0o077], [home.user, 0]);
  });

  it('runs the webhook without any privilege on a file system it cannot write, and stops in good order', async () => {
    const { service } = await startWebhook();
    const [uid] = home.user.split(':');
    const statuses = (await service.exec(['sh', '-c', 'cat /proc/[0-9]*/status'])).split(/^(?=Name:)/m);
    // The init, the webhook and the `sh` and `cat` that look.
    assert.ok(statuses.length >= 3, statuses.join());
    for (const status of statuses) {
      const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
      assert.deepEqual(
        field('Uid').split('\t'),
        Array.from({ length: 4 }, () => uid),
        status,
      );
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        assert.equal(field(set), '0000000000000000', status);
      assert.equal(field('NoNewPrivs'), '1', status);
    }
    const touched = await service.exec(['touch', '/opt/bot-bottle/dist/x', '/tmp/x']);
    assert.equal(touched.match(/Read-only file system/g)?.length, 2, touched);

    const { exitCode, stderr } = await service.stop();
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /"msg":"webhook stopped"/);
  });

  it('says which setting the worker lacks', async () => {
    const { FORGE_GITEA_API: _, ...env } = settings;
    const ended = await ServiceContainer.run(docker, {
      args: ['worker'],
      user: home.user,
      env,
      mounts: [home.dir],
    });
    assert.equal(ended.exitCode, 2, ended.stderr);
    assert.match(ended.stderr, /FORGE_GITEA_API is not set/);
  });

  it('reaches the engine as a member of its socket’s group, loads the native modules, and misses only Temporal', async () => {
    const ended = await ServiceContainer.run(docker, {
      args: ['worker'],
      user: home.user,
      env: settings,
      mounts: [home.dir, SOCKET],
      groups: [statSync(SOCKET).gid],
    });
    assert.equal(ended.exitCode, 5, ended.stderr);
    // It wrote its own database before (better-sqlite3); the refusal is that of the native connection.
    assert.ok(existsSync(join(home.dir, 'bot-bottle.db')), ended.stderr);
    assert.match(ended.stderr, /Temporal does not answer: .*127\.0\.0\.1:9\b/);
    assert.doesNotMatch(ended.stderr, /ERR_|Cannot find|\.node\b|GLIBC/);
  });
});
