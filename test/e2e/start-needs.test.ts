import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { EntryProcess, type Ended } from '../support/entries/entry-process.js';
import { ProductHome } from '../support/entries/product-home.js';
import { processesOf } from '../support/stack/processes.js';

/** What `up` may take to find out, with a machine that is busy with other tests. */
const SOON_MS = 30_000;

const NO_SCANNER = /\/nonexistent\/gitleaks can't be used.*script\/bootstrap --only gitleaks/;

describe('what a start needs', function () {
  this.timeout(SOON_MS + 10_000);
  let home: ProductHome;

  beforeEach(async () => {
    home = await ProductHome.make();
  });
  afterEach(() => home.remove());

  /** Starts it with this home; whatever happens, nothing of it may be left or may have begun. */
  async function refused(command: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const started = Date.now();
    const up = EntryProcess.start([process.execPath, 'dist/cli.js', command], { ...home.env, ...env });
    const late = setTimeout(() => up.child.kill('SIGKILL'), SOON_MS);
    const ended = await up.ended();
    clearTimeout(late);
    assert.ok(Date.now() - started < SOON_MS, ended.stderr);
    assert.equal(ended.code, 2, ended.stderr);
    // A server of Temporal, a webhook and a worker each begin with a file in the home.
    assert.deepEqual(await home.files(), [], 'something was started');
    assert.deepEqual(await processesOf(home.dir), []);
    for (const [name, port] of Object.entries(home.ports)) assert.equal(await answers(port), false, name);
    return ended;
  }

  it('is told by `up` that nobody has configured: address of the forge, secrets, programs, in one list', async () => {
    const secrets = ['forge-token', 'publish-token', 'webhook-secret'];
    for (const name of secrets) await home.removeSecret(name);
    const { stderr } = await refused('up', { FORGE_GITEA_API: '', GITLEAKS: '/nonexistent/gitleaks' });
    const [head, ...problems] = stderr.trimEnd().split('\n');
    assert.equal(head, 'bot-bottle: nothing was started:');
    assert.match(problems.join('\n'), /FORGE_GITEA_API is not set: add .* or export it/);
    for (const name of secrets)
      assert.match(
        stderr,
        new RegExp(`^ {2}\\S+/secrets/${name} is missing: bot-bottle secret set ${name} < file$`, 'm'),
      );
    assert.match(problems.join('\n'), NO_SCANNER);
    assert.equal(problems.length, 5, stderr);
  });

  it('is told by `up` whose engine is away, together with what else is missing, but no scanner that is off', async () => {
    await home.removeSecret('webhook-secret');
    const off = { GITLEAKS: '/nonexistent/gitleaks', FORGE_SECRET_SCAN: 'off' };
    const { stderr } = await refused('up', { ...off, DOCKER_HOST: dead(home) });
    assert.match(stderr, /no Docker engine answers .*: start it, or set DOCKER_HOST/);
    assert.match(stderr, /secret set webhook-secret < file/);
    assert.doesNotMatch(stderr, /gitleaks/);
  });

  it('is told by `up` whose engine takes the connection and says nothing', async () => {
    const silent = createServer();
    const file = join(home.dir, 'secrets', 'engine.sock');
    silent.listen(file);
    await once(silent, 'listening');
    try {
      const { stderr } = await refused('up', { DOCKER_HOST: `unix://${file}` });
      assert.match(stderr, /the Docker engine said nothing for 10 s: restart it/);
    } finally {
      silent.close();
    }
  });

  it('is told by `up` that has no git', async () => {
    const { stderr } = await refused('up', { PATH: '/nonexistent' });
    assert.match(stderr, /there is no program git on the PATH: install git/);
  });

  it('is told by `up` whose engine lacks the container runtime', async () => {
    const { stderr } = await refused('up', { BOTTLE_RUNTIME: 'no-such' });
    assert.match(stderr, /the engine has no container runtime "no-such": add it/);
  });

  it('is told by `up` that may not start a Temporal where it is looked for', async () => {
    const { stderr } = await refused('up', { TEMPORAL_ADDRESS: `192.0.2.1:${String(home.ports.temporal)}` });
    assert.match(stderr, /no Temporal answers at 192\.0\.2\.1/);
  });

  it('is told by the worker that has no scanner, and is to tell people by a webhook but cannot sign', async () => {
    const NOTIFY_WEBHOOK_URL = 'http://127.0.0.1:9/hook';
    const { stderr } = await refused('worker', { NOTIFY_WEBHOOK_URL, GITLEAKS: '/nonexistent/gitleaks' });
    assert.match(stderr, /secrets\/notify-secret is missing: bot-bottle secret set notify-secret < file/);
    assert.match(stderr, NO_SCANNER);
    assert.doesNotMatch(stderr, /Docker engine/);
  });

  it('is told by the worker alone, which needs no secret of the webhook, nor one to sign what nobody is told', async () => {
    await home.removeSecret('webhook-secret');
    const { stderr } = await refused('worker', { DOCKER_HOST: dead(home) });
    assert.match(stderr, /no Docker engine answers/);
    assert.doesNotMatch(stderr, /webhook-secret|notify-secret/);
  });
});

const dead = (home: ProductHome): string => `unix://${join(home.dir, 'no-engine.sock')}`;

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
