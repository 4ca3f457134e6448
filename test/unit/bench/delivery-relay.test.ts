import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DeliveryRelay } from '../../../bench/lives/delivery-relay.js';
import { until } from '../../../bench/base/until.js';

describe('the relay between forge and webhook', () => {
  let webhook: Server;
  let relay: DeliveryRelay;
  let status = 202;
  let taken: { body: string; signature: string | undefined; at: number }[] = [];

  beforeEach(async () => {
    status = 202;
    taken = [];
    webhook = createServer((request, response) => {
      void text(request).then((body) => {
        const signature = request.headers['x-gitea-signature'];
        taken.push({
          body,
          signature: typeof signature === 'string' ? signature : undefined,
          at: Date.now(),
        });
        response.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(webhook, 'listening');
    relay = await DeliveryRelay.start(
      `http://127.0.0.1:${String((webhook.address() as AddressInfo).port)}/webhooks/gitea`,
    );
  });
  afterEach(async () => {
    await relay.close();
    webhook.closeAllConnections();
    webhook.close();
    await once(webhook, 'close');
  });

  const deliver = async (eventType: string, body: string): Promise<void> => {
    const headers = {
      'content-type': 'application/json',
      'x-gitea-event-type': eventType,
      'x-gitea-signature': `of ${body}`,
    };
    const answer = await fetch(relay.url, { method: 'POST', headers, body });
    assert.equal(answer.status, 202);
    await answer.arrayBuffer();
  };

  it('hands a delivery on at once, byte for byte, with its signature', async () => {
    await deliver('issues', '{"a": 1 }');
    const { body, signature } = await until('the delivery', () => taken[0]);
    assert.equal(body, '{"a": 1 }');
    assert.equal(signature, 'of {"a": 1 }');
  });

  it('keeps what comes while it holds, and then posts it in order, at the moment it names', async () => {
    relay.hold();
    await deliver('issue_assign', 'one');
    await deliver('issues', 'two');
    await until('both', () => (relay.heldTypes.length === 2 ? true : undefined));
    assert.deepEqual(relay.heldTypes, ['issue_assign', 'issues']);
    assert.equal(taken.length, 0);
    const before = Date.now();
    const at = await relay.release();
    assert.ok(at >= before && taken.every((delivery) => at <= delivery.at));
    assert.deepEqual(
      taken.map(({ body }) => body),
      ['one', 'two'],
    );
  });

  it('says when the webhook did not take one', async () => {
    status = 401;
    relay.hold();
    await deliver('issues', 'x');
    await until('it', () => (relay.heldTypes.length === 1 ? true : undefined));
    await assert.rejects(relay.release(), /delivery issues was not taken/);
  });
});
