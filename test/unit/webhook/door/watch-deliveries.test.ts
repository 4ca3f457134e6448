import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { DeliveryWatch } from '../../../../src/domain/forge/delivery-watch.js';
import { watchDeliveries } from '../../../../src/webhook/door/watch-deliveries.js';
import { closeServer, listenLocally, urlOf } from '../../../support/http/loopback.js';
import { freePort } from '../../../support/ports/free-port.js';
import { issueEvent } from '../../../support/webhook/payloads.js';
import { rawExchange } from '../../../support/webhook/raw-exchange.js';
import { deliveryHeaders, SECRET } from '../../../support/webhook/sign.js';
import { startWebhook, type StartedWebhook } from '../../../support/webhook/start-webhook.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const HOST = '127.0.0.1';

const going = new AbortController().signal;

describe('watching for a delivery of the forge', () => {
  const newPath = useNewPaths();
  let webhook: StartedWebhook | undefined;
  let other: Server | undefined;
  let watch: DeliveryWatch | undefined;

  afterEach(async () => {
    if (watch !== undefined && watch.kind !== 'unavailable') await watch.close();
    await webhook?.stop();
    if (other !== undefined) await closeServer(other);
    watch = webhook = other = undefined;
  });

  type Watching = Exclude<DeliveryWatch, { kind: 'unavailable' }>;
  const watching = async (port: number): Promise<Watching> => {
    watch = await watchDeliveries(SECRET, { host: HOST, port });
    if (watch.kind === 'unavailable') throw new Error(watch.reason);
    return watch;
  };
  const atWebhook = async (): Promise<{ readonly running: Watching; readonly port: number }> => {
    webhook = await startWebhook({ inboxFile: newPath() });
    const { port } = webhook.listening;
    return { running: await watching(port), port };
  };
  const deliver = (port: number, event: string, secret = SECRET, salt = ''): Promise<Response> => {
    const body = JSON.stringify(issueEvent({ salt }));
    return fetch(`http://${HOST}:${String(port)}/webhooks/gitea`, {
      method: 'POST',
      body,
      headers: deliveryHeaders(body, event, secret),
    });
  };

  describe('at a webhook that runs', () => {
    it('sees what came after it was asked to, and only if the signature was right', async () => {
      const { running, port } = await atWebhook();
      assert.equal(running.kind, 'running');
      await deliver(port, 'issues', SECRET, 'before');
      const expected = await running.expect();
      assert.equal(await expected.arrived(0, going), 'nothing');
      await deliver(port, 'issues', 'another secret', 'a');
      assert.equal(await expected.arrived(0, going), 'unsigned');
      await deliver(port, 'issues', SECRET, 'b');
      assert.equal(await expected.arrived(0, going), 'verified');
    });

    it('takes every outcome behind the signature for an arrival', async () => {
      const { running, port } = await atWebhook();
      await deliver(port, 'issues', SECRET, 'twice');
      for (const event of ['issues', 'a_kind_that_is_not_known']) {
        const expected = await running.expect();
        await deliver(port, event, SECRET, 'twice');
        assert.equal(await expected.arrived(0, going), 'verified', event);
      }
    });

    it('waits as long as it was told, and for the right one after a wrong one', async () => {
      const { running, port } = await atWebhook();
      const expected = await running.expect();
      const arrived = expected.arrived(30_000, going);
      await deliver(port, 'issues', 'another secret', 'wrong');
      setTimeout(() => void deliver(port, 'issues', SECRET, 'right'), 300);
      assert.equal(await arrived, 'verified');
    });

    it('tells whether it has the secret that is set', async () => {
      const { running, port } = await atWebhook();
      assert.equal(await running.sameSecret(), true);
      const another = await watchDeliveries('another secret', { host: HOST, port });
      assert.ok(another.kind === 'running');
      assert.equal(await another.sameSecret(), false);
      assert.equal(webhook?.accepted(), 0);
    });

    it('sees nothing of one that has gone', async () => {
      const { running } = await atWebhook();
      const expected = await running.expect();
      await webhook?.stop();
      webhook = undefined;
      assert.equal(await expected.arrived(0, going), 'nothing');
    });
  });

  describe('where nobody listens', () => {
    it('listens itself: a test is taken, what matters is not, and a wrong signature is told', async () => {
      const port = await freePort();
      const own = await watching(port);
      assert.equal(own.kind, 'own');
      assert.equal(await own.sameSecret(), true);
      const expected = await own.expect();
      assert.equal((await deliver(port, 'push', 'another secret')).status, 401);
      assert.equal(await expected.arrived(0, going), 'unsigned');
      const test = await deliver(port, 'push');
      assert.deepEqual([test.status, await test.text()], [200, '']);
      assert.equal(await expected.arrived(0, going), 'verified');
      const issue = await deliver(port, 'issues');
      assert.deepEqual([issue.status, await issue.text()], [503, 'the webhook does not run yet']);
    });

    it('hangs up on half a delivery, and counts it as none', async () => {
      const port = await freePort();
      const expected = await (await watching(port)).expect();
      const half = 'POST /webhooks/gitea HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';
      assert.doesNotMatch(await rawExchange(port, half, true), /^HTTP\/1\.1 (?:200|401|503)/);
      assert.equal(await expected.arrived(0, going), 'nothing');
    });

    it('leaves the port when it is closed', async () => {
      const port = await freePort();
      await (await watching(port)).close();
      assert.equal((await watching(port)).kind, 'own');
    });
  });

  it('is not possible where another program listens, whatever that answers', async () => {
    other = createServer((_request, response) => response.end('bot_bottle_other_metric 1\n'));
    await listenLocally(other);
    const port = Number(new URL(urlOf(other)).port);
    assert.deepEqual(await watchDeliveries(SECRET, { host: HOST, port }), {
      kind: 'unavailable',
      reason: `no bot-bottle webhook answers at ${HOST}:${String(port)}, and it can't be listened at (another program listens there)`,
    });
  });

  it('names the fault where an address is none of this machine', async () => {
    const elsewhere = await watchDeliveries(SECRET, { host: '192.0.2.1', port: 1 });
    assert.ok(elsewhere.kind === 'unavailable');
    assert.match(elsewhere.reason, /\(EADDRNOTAVAIL\)$/);
  });
});
