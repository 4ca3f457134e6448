import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '../../../support/bundle/until.js';
import { issueEvent } from '../../../support/webhook/payloads.js';
import { rawExchange } from '../../../support/webhook/raw-exchange.js';
import { deliveryHeaders } from '../../../support/webhook/sign.js';
import { startWebhook, type StartedWebhook } from '../../../support/webhook/start-webhook.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('the webhook’s answers', () => {
  const newPath = useNewPaths();
  let webhook: StartedWebhook;

  const start = async (deps: Parameters<typeof startWebhook>[0]['deps'] = {}): Promise<void> => {
    webhook = await startWebhook({ inboxFile: newPath(), deps });
  };
  afterEach(async () => {
    await webhook.stop();
  });

  const deliver = (salt = '', more: Record<string, string> = {}): Promise<Response> => {
    const body = JSON.stringify(issueEvent({ salt }));
    const headers = { ...deliveryHeaders(body, 'issues'), ...more };
    return fetch(`${webhook.url}/webhooks/gitea`, { method: 'POST', body, headers });
  };
  const counted = async (outcome: string): Promise<boolean> =>
    (await (await fetch(`${webhook.url}/metrics`)).text()).includes(
      `bot_bottle_webhook_deliveries_total{outcome="${outcome}"} 1\n`,
    );

  const JSON_TYPE = 'application/json; charset=utf-8';
  const plain: [what: string, path: string, method: string, code: number, body: object][] = [
    ['the sign of life', '/healthz', 'GET', 200, { status: 'ok' }],
    [
      'a path that is none',
      '/elsewhere',
      'POST',
      404,
      { status: 'not_found', reason: 'deliveries go to POST /webhooks/gitea' },
    ],
    [
      'a delivery that is asked for',
      '/webhooks/gitea',
      'GET',
      405,
      { status: 'method_not_allowed', reason: 'deliveries are sent with POST' },
    ],
  ];
  for (const [what, path, method, code, body] of plain)
    it(`are JSON that says what to do: ${what}`, async () => {
      await start();
      const response = await fetch(webhook.url + path, { method });
      assert.deepEqual([response.status, response.headers.get('content-type')], [code, JSON_TYPE]);
      const text = await response.text();
      assert.equal(Number(response.headers.get('content-length')), Buffer.byteLength(text));
      assert.deepEqual(JSON.parse(text), body);
      assert.equal(response.headers.get('allow'), code === 405 ? 'POST' : null);
    });

  it('tell nothing of what serves them', async () => {
    await start();
    for (const path of ['/readyz', '/healthz', '/metrics']) {
      const { headers } = await fetch(webhook.url + path);
      assert.deepEqual([headers.get('x-powered-by'), headers.get('etag')], [null, null], path);
    }
  });

  it('to the end of half a request end the connection', async () => {
    await start();
    const socket = connect(webhook.listening.port, '127.0.0.1');
    socket.end('POST /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    assert.equal((await fetch(`${webhook.url}/healthz`)).status, 200);
  });

  it('take a delivery where nobody can say whether a run goes on there', async () => {
    await start({ serves: () => false, worksIn: () => Promise.reject(new Error('database is locked')) });
    assert.equal((await deliver()).status, 202);
    assert.match(webhook.errors.join(), /could not be read.*: database is locked/);
  });

  it('to a fault of ours say only that there is one, and the log says which', async () => {
    await start({
      serves: () => {
        throw new Error('the disk is on fire');
      },
    });
    const response = await deliver();
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { status: 'error', reason: 'internal error: see the log' });
    assert.deepEqual(webhook.errors, ['a request failed: the disk is on fire']);
  });

  for (const [status, code] of [
    [400, 400],
    [499, 400],
    [399, 500],
    [500, 500],
    ['400', 500],
  ] as const)
    it(`to a fault with the status ${JSON.stringify(status)} say ${code === 400 ? 'whose it is' : 'nothing'}`, async () => {
      await start({
        serves: () => {
          throw Object.assign(new Error('x'), { status });
        },
      });
      const response = await deliver();
      assert.equal(response.status, code === 400 ? status : 500);
      const { status: word } = (await response.json()) as { status: string };
      assert.equal(word, code === 400 ? 'bad_request' : 'error');
      assert.equal(webhook.errors.length, code === 400 ? 0 : 1);
    });

  it('to what was not signed with our secret are told of, once in ten minutes', async () => {
    let now = 0;
    const told: string[] = [];
    await start({ now: () => now, onUnsigned: (reason) => told.push(reason) });
    const forged = (): Promise<Response> => deliver('', { 'x-gitea-signature': '0'.repeat(64) });
    await forged();
    await forged();
    assert.equal(told.length, 1);
    assert.match(told.join(), /^wrong signature: /);
    now = 600_000;
    await forged();
    assert.equal(told.length, 2);
  });

  describe('are counted', () => {
    const cases: [outcome: string, send: () => Promise<unknown>][] = [
      ['accepted', () => deliver()],
      ['duplicate', () => deliver().then(() => deliver())],
      ['unsigned', () => deliver('', { 'x-gitea-signature': '0'.repeat(64) })],
      ['wrong_type', () => deliver('', { 'content-type': 'text/plain' })],
      ['malformed', () => deliver('', { 'x-gitea-event-type': 'pull_request' })],
      ['unwanted', () => deliver('', { 'x-gitea-event-type': 'push' })],
      ['too_large', () => deliver('x'.repeat(10_000))],
    ];
    for (const [outcome, send] of cases)
      it(`as ${outcome}`, async () => {
        await start({ maxBodyBytes: 10_000 });
        await send();
        assert.ok(await counted(outcome));
      });

    it('as truncated, when the connection ended first', async () => {
      await start();
      const socket = connect(webhook.listening.port, '127.0.0.1');
      socket.write('POST /webhooks/gitea HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
      await once(socket, 'connect');
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
      await until('it to be counted', async () => (await counted('truncated')) || undefined);
    });

    it('as unwanted, where nobody serves the repository, and where no run goes on', async () => {
      await start({ serves: () => false });
      await deliver();
      assert.ok(await counted('unwanted'));
    });
  });

  it('are timed in seconds', async () => {
    await start();
    await deliver();
    const text = await (await fetch(`${webhook.url}/metrics`)).text();
    const sum = Number(/^bot_bottle_webhook_accept_seconds_sum (.+)$/m.exec(text)?.[1]);
    assert.ok(sum > 0 && sum < 30, String(sum));
  });

  it('begin a trace of what is accepted, which goes on where it is dispatched', async () => {
    const begun: unknown[] = [];
    let ended = 0;
    await start({
      tracing: {
        during: (_name, _attributes, _causes, work) => work(),
        tell: () => undefined,
        begin: (name, attributes) => {
          begun.push([name, attributes]);
          return { traceparent: '00-trace', end: () => (ended += 1) };
        },
      },
    });
    await deliver();
    await deliver('other', { 'x-gitea-delivery': '<script>' });
    const attributes = (delivery: string): object => ({
      'bot_bottle.event': 'issues',
      'bot_bottle.delivery': delivery,
      'bot_bottle.repository': 'alice/demo',
      'bot_bottle.number': 12,
    });
    assert.deepEqual(begun, [
      ['delivery', attributes('f6266f16-1bf3-46a5-9ea4-602e06ead473')],
      ['delivery', attributes('')],
    ]);
    await until('both to have ended', () => ended === 2 || undefined);
    assert.deepEqual(
      webhook.inbox.waiting('gitea:alice/demo#12', 5).map(({ traceparent }) => traceparent),
      ['00-trace', '00-trace'],
    );
  });

  it('do not take findings at the forge’s path', async () => {
    await start();
    const response = await deliver('', { 'x-gitea-event-type': 'reconciled' });
    assert.equal(response.status, 400);
    assert.equal(webhook.accepted(), 0);
  });

  it('take a type and an encoding that say the same in other words', async () => {
    await start();
    const said = { 'content-type': ' Application/JSON ; charset=utf-8', 'content-encoding': 'identity' };
    assert.equal((await deliver('', said)).status, 202);
  });

  it('that refuse end the connection', async () => {
    await start();
    const went = await rawExchange(
      webhook.listening.port,
      'POST /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde',
    );
    assert.match(went, /^HTTP\/1\.1 404 [^]*Connection: close/i);
  });
});
