import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookHook } from '../../../src/adapters/notify/webhook-hook.js';
import type { Sent } from '../../../src/domain/notify/hooks.js';

const SECRET = 'a secret of the receiver';
const NOW = Date.parse('2026-11-23T10:00:00.500Z');
const MESSAGE = { id: 'proposal-1', body: '{"id":"proposal-1","justification":"ä\\u001b"}' };

interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

describe('the outgoing webhook', () => {
  let server: http.Server;
  let got: Got[];
  let answer: (response: http.ServerResponse, request: http.IncomingMessage) => void;

  beforeEach(async () => {
    got = [];
    server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        got.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
        answer(response, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = (): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const send = (limitMs = 5_000, stopped = new AbortController().signal): Promise<Sent> =>
    webhookHook({ url: new URL(`${address()}/hook`), secret: () => SECRET, now: () => NOW, limitMs }).send(
      MESSAGE,
      stopped,
    );
  const answering = (
    status: number,
    headers: Readonly<Record<string, string>> = {},
    text = '',
  ): Promise<Sent> => {
    answer = (response) => response.writeHead(status, headers).end(text);
    return send();
  };

  it('posts the body as it is, signed', async () => {
    assert.deepEqual(await answering(204), { kind: 'told' });
    const [{ method, url, headers, body } = { headers: {} } as Got] = got;
    assert.deepEqual([method, url, body], ['POST', '/hook', MESSAGE.body]);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['webhook-id'], 'proposal-1');
    const signed = `proposal-1.${String(Math.floor(NOW / 1000))}.${body}`;
    assert.equal(headers['webhook-timestamp'], String(Math.floor(NOW / 1000)));
    assert.equal(
      headers['webhook-signature'],
      `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`,
    );
  });

  it('follows no redirect', async () => {
    for (const status of [301, 302, 307, 308]) {
      const sent = await answering(status, { location: `${address()}/elsewhere` });
      assert.equal(sent.kind, 'final', String(status));
    }
    assert.deepEqual(
      got.map(({ url }) => url),
      ['/hook', '/hook', '/hook', '/hook'],
    );
  });

  it('tries again what may pass, after the time that is asked for, and nothing else', async () => {
    const date = new Date(NOW + 90_000).toUTCString();
    const asked = async (status: number, retry?: string): Promise<number | null | string> => {
      const sent = await answering(status, retry === undefined ? {} : { 'retry-after': retry });
      return sent.kind === 'again' ? sent.retryAfterMs : sent.kind;
    };
    assert.equal(await asked(503), null);
    assert.equal(await asked(500, 'soon'), null);
    assert.equal(await asked(429, '120'), 120_000);
    assert.equal(await asked(502, date), 89_500);
    for (const status of [400, 401, 404, 410]) assert.equal(await asked(status), 'final', String(status));
  });

  it('waits no longer than its limit, nor when the worker stops', async () => {
    answer = () => undefined;
    const begun = Date.now();
    const sent = await send(200);
    assert.equal(sent.kind, 'again');
    assert.match(sent.why, /no answer within 0\.2 s/);
    answer = (response) => {
      response.writeHead(500);
      // An answer that never ends.
      response.write('x');
    };
    assert.equal((await send(200)).kind, 'again');
    // Nor for more of one that has said yes.
    answer = (response) => {
      response.writeHead(200);
      response.write('x');
    };
    assert.deepEqual(await send(2_000), { kind: 'told' });
    answer = () => undefined;
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 50);
    assert.equal((await send(60_000, stopping.signal)).kind, 'again');
    assert.ok(Date.now() - begun < 3_000);
  });

  it('reads no more of an answer than it needs', async () => {
    let written = 0;
    const flood = (status: number) => (response: http.ServerResponse) => {
      response.writeHead(status);
      const more = (): void => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write('y'.repeat(65_536))) return void response.once('drain', more);
        }
      };
      response.on('error', () => undefined);
      more();
    };
    answer = flood(200);
    assert.deepEqual(await send(), { kind: 'told' });
    answer = flood(400);
    const sent = await send();
    assert.deepEqual(sent, { kind: 'final', why: `answered 400: ${'y'.repeat(500)}` });
    assert.ok(written < 64 * 1024 * 1024, String(written));
  });

  it('says why nobody answered, and why nothing was signed', async () => {
    const closed = webhookHook({ url: new URL('http://127.0.0.1:1/'), secret: () => SECRET, now: Date.now });
    const refused = await closed.send(MESSAGE, new AbortController().signal);
    assert.match(refused.kind === 'again' ? refused.why : '', /ECONNREFUSED/);
    const secret = (): never => {
      throw new Error('/h/secrets/notify-secret is missing');
    };
    const unsigned = await webhookHook({ url: new URL(address()), secret, now: Date.now }).send(
      MESSAGE,
      new AbortController().signal,
    );
    assert.match(unsigned.kind === 'again' ? unsigned.why : '', /notify-secret is missing/);
    assert.deepEqual(got, []);
  });
});
