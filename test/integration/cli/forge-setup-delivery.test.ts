import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SetupHome } from '../../support/forge-setup/setup-home.js';
import { ForgeServer, passOn } from '../../support/gitea/forge-server.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { REPO, startGitea } from '../../support/gitea/start-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { startWebhook } from '../../support/webhook/start-webhook.js';
import type { StartedWebhook } from '../../support/webhook/start-webhook.js';
import { BUILT_IN_LABELS, STAND_IN_LABEL } from '../../support/forge-setup/built-in-labels.js';

describe('the test delivery of forge setup', function () {
  this.timeout(60_000);
  let gitea: Gitea;
  let home: SetupHome;
  let webhook: StartedWebhook | undefined;

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
  });
  beforeEach(async () => {
    home = await SetupHome.make(gitea);
  });
  afterEach(async () => {
    await webhook?.stop();
    webhook = undefined;
    await home.run(gitea.alice.token, REPO, '--remove');
    await home.remove();
  });

  /** A webhook that runs with this secret, and a home that knows where. */
  async function running(secret: string): Promise<void> {
    webhook = await startWebhook({ inboxFile: join(home.dir, 'test-inbox.db'), deps: { secret } });
    home.set('WEBHOOK_LISTEN', `127.0.0.1:${String(webhook.listening.port)}`);
  }

  it('arrives at a running webhook, which counts it and starts nothing', async () => {
    await home.write('secrets/webhook-secret', 'the-right-secret');
    await running('the-right-secret');
    const ran = await home.run(gitea.alice.token, REPO);
    assert.equal(ran.code, 0, ran.stdout);
    assert.match(ran.items.at(-1)?.detail ?? '', /^arrived at the running webhook, signature right/);
    assert.equal(webhook?.accepted(), 0);
  });

  it('tells that a running webhook has another secret', async () => {
    await home.write('secrets/webhook-secret', 'the-new-secret');
    await running('the-secret-before');
    const ran = await home.run(gitea.alice.token, REPO);
    assert.equal(ran.code, 1);
    assert.match(
      ran.items.at(-1)?.detail ?? '',
      /has another secret than the one that is set.*Restart up or webhook/,
    );
    assert.ok(!ran.stdout.includes('the-new-secret'));
    const before = await gitea.alice.api.list(`/repos/${REPO}/hooks`);
    await home.run(gitea.alice.token, REPO);
    const ids = (list: Record<string, unknown>[]) => list.map(({ id }) => id);
    assert.deepEqual(ids(await gitea.alice.api.list(`/repos/${REPO}/hooks`)), ids(before));
  });

  it('that arrives at nobody names the address, the list of allowed hosts, and the way without a webhook', async () => {
    const began = Date.now();
    const ran = await home.text(
      gitea.alice.token,
      REPO,
      ...['--url', 'http://127.0.0.1:1/elsewhere', '--wait', '500ms'],
    );
    assert.equal(ran.code, 1);
    assert.ok(Date.now() - began < 20_000);
    assert.match(ran.stdout, /deliver to http:\/\/127\.0\.0\.1:1\/elsewhere\/webhooks\/gitea/);
    assert.match(ran.stdout, /ALLOWED_HOST_LIST = external, loopback/);
    assert.match(ran.stdout, /FORGE_POLL_INTERVAL/);
    const [hook] = await gitea.alice.api.list(`/repos/${REPO}/hooks`);
    assert.ok(!(hook?.['events'] as string[]).includes('push'));
  });

  it('is not sent where something else holds the port', async () => {
    const other = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => other.listen(home.port, '127.0.0.1', resolve));
    try {
      const ran = await home.run(gitea.alice.token, REPO);
      assert.equal(ran.items.at(-1)?.state, 'skipped');
      assert.match(
        ran.items.at(-1)?.detail ?? '',
        /no bot-bottle webhook answers .*another program listens there/,
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('and everything else of a dry run asks with GET only and writes nothing', async () => {
    const front = await ForgeServer.start((request) => passOn(gitea.url, request));
    const fresh = await SetupHome.make(gitea, `${front.url}/api/v1`);
    try {
      const ran = await fresh.run(gitea.alice.token, REPO, '--dry-run');
      assert.deepEqual(ran.lines, [
        'would_create secret webhook-secret',
        'ok bot bottle-bot',
        `skipped label ${STAND_IN_LABEL}`,
        `would_create webhook ${fresh.url}`,
        ...BUILT_IN_LABELS.map((label) => `would_create label ${label}`),
      ]);
      assert.equal(ran.code, 0);
      assert.deepEqual([...new Set(front.seen.map(({ method }) => method))], ['GET']);
      await assert.rejects(fresh.secret());
    } finally {
      await front.stop();
      await fresh.remove();
    }
  });
});

describe('forge setup on a Gitea that may call public hosts only', function () {
  this.timeout(120_000);
  let gitea: Gitea | undefined;
  let home: SetupHome | undefined;
  after(async () => {
    await home?.remove();
    await gitea?.stop();
  });

  it('explains which hosts it must be allowed to call', async () => {
    gitea = await startGitea({ ini: { allowedHosts: 'external' } });
    home = await SetupHome.make(gitea);
    const ran = await home.text(gitea.alice.token, REPO, '--wait', '2s');
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, new RegExp(`nothing arrived at 127.0.0.1:${String(home.port)}.*within 2 s`));
    assert.match(ran.stdout, /\[webhook\] set ALLOWED_HOST_LIST = external, loopback and restart Gitea/);
  });
});
