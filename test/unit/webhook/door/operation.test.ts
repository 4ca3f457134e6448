import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { mock } from 'node:test';
import { openInbox } from '../../../../src/adapters/sqlite/inbox/open-inbox.js';
import { passTime } from '../../../support/turn/pass-time.js';
import { issueEvent } from '../../../support/webhook/payloads.js';
import { rawExchange } from '../../../support/webhook/raw-exchange.js';
import { deliveryHeaders } from '../../../support/webhook/sign.js';
import { startWebhook } from '../../../support/webhook/start-webhook.js';
import type { StartedWebhook } from '../../../support/webhook/start-webhook.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('the webhook process in operation', () => {
  const path = useTempDir();
  let webhook: StartedWebhook | undefined;

  afterEach(async () => {
    mock.timers.reset();
    await webhook?.stop();
    webhook = undefined;
  });

  const deliver = (url: string, salt: string): Promise<Response> => {
    const body = JSON.stringify(issueEvent({ salt }));
    return fetch(`${url}/webhooks/gitea`, { method: 'POST', body, headers: deliveryHeaders(body, 'issues') });
  };

  it('is ready without Temporal, and says that Temporal is away', async () => {
    webhook = await startWebhook({ inboxFile: path('ready.db') });
    const ready = await fetch(`${webhook.url}/readyz`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), { status: 'ready', inbox: 'writable', temporal: 'unreachable' });
  });

  it('answers 503 while the inbox is full, is not ready then, and accepts again when there is room', async () => {
    webhook = await startWebhook({ inboxFile: path('full.db'), inbox: { maxBytes: 120_000 } });
    const { url } = webhook;
    let code = 202;
    for (let count = 0; code === 202 && count < 500; count += 1)
      code = (await deliver(url, `${String(count)} ${'x'.repeat(3000)}`)).status;
    assert.equal(code, 503);
    assert.match(webhook.errors[0] ?? '', /free disk space/);
    const stored = webhook.inbox.stats().total;
    assert.ok(stored > 5);
    const answer = await deliver(url, `once more ${'x'.repeat(3000)}`);
    assert.equal(answer.status, 503);
    assert.match(((await answer.json()) as { reason: string }).reason, /redeliver/);
    assert.equal(webhook.inbox.stats().total, stored);
    // Another connection has no limit: as if somebody had made room.
    const roomy = openInbox(path('full.db'));
    for (let head = roomy.due(Date.now(), 1)[0]; head; head = roomy.due(Date.now(), 1)[0]) {
      roomy.complete([{ seq: head.seq, outcome: 'signalled', detail: '' }], 0);
    }
    roomy.prune(Date.now() + 365 * 24 * 3600 * 1000);
    roomy.close();
    assert.equal((await deliver(url, 'room')).status, 202);
  });

  it('takes no more connections than it may have, and another when one has gone', async () => {
    webhook = await startWebhook({ inboxFile: path('crowd.db'), limits: { maxConnections: 1 } });
    const { port } = webhook.listening;
    // One that is not taken is closed, or reset.
    const ask = (): Promise<string> =>
      rawExchange(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').catch(() => '');
    const first = connect(port, '127.0.0.1');
    await once(first, 'connect');
    assert.equal(await ask(), '');
    first.destroy();
    while (!(await ask()).startsWith('HTTP/1.1 200 '));
  });

  it('cuts off a client that goes on sending after it was refused', async () => {
    webhook = await startWebhook({ inboxFile: path('flood.db'), deps: { maxBodyBytes: 10 } });
    const head = 'POST /webhooks/gitea HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    mock.timers.enable({ apis: ['setTimeout'] });
    const answer = rawExchange(webhook.listening.port, `${head}ff\r\n${'x'.repeat(255)}\r\n`);
    assert.match(await passTime(answer), /^HTTP\/1\.1 413 /);
  });
});
