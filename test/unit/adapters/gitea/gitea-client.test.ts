import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import type { GiteaClientOptions } from '../../../../src/adapters/gitea/gitea-client.js';
import { ForgeHttpError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';
import type { Answer, SeenRequest } from '../../../support/gitea/forge-server.js';

const TOKEN = 'c0ffee'.repeat(6);
const OK: Answer = { status: 200, body: '{"ok":true}' };

describe('the client of the forge', () => {
  let server: ForgeServer;
  const clients: GiteaClient[] = [];

  async function serve(
    answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>,
  ): Promise<void> {
    server = await ForgeServer.start(answer);
  }

  function client(options: Partial<GiteaClientOptions> = {}): GiteaClient {
    const made = new GiteaClient({
      baseUrl: server.url,
      token: TOKEN,
      retry: { baseMs: 5, capMs: 50 },
      ...options,
    });
    clients.push(made);
    return made;
  }

  afterEach(async () => {
    for (const made of clients.splice(0)) made.close();
    await server.stop();
  });

  async function failure(request: Promise<unknown>): Promise<ForgeHttpError> {
    const error: unknown = await request.then(
      () => undefined,
      (fault: unknown) => fault,
    );
    if (!(error instanceof ForgeHttpError)) throw new Error(`no ForgeHttpError: ${String(error)}`);
    return error;
  }

  it('sends the token in one header and nowhere else', async () => {
    await serve(() => OK);
    await client().json({ method: 'POST', path: ['a'], body: { b: 1 } });
    assert.equal(server.seen.length, 1);
    assert.equal(server.seen[0]?.headers.authorization, `token ${TOKEN}`);
    assert.equal(JSON.stringify(server.seen).split(TOKEN).length, 2, 'once');
  });

  it('says by how much the forge’s clock differs from ours at least, and nothing while whole seconds may explain it', async () => {
    const ahead: number[] = [];
    let date: string | undefined;
    await serve(() => ({ ...OK, headers: date === undefined ? {} : { date } }));
    const made = client();
    for (const by of [0, 3_600_000, -3_600_000, 0]) {
      date = new Date(Date.now() + by).toUTCString();
      await made.json({ method: 'GET', path: ['a'] });
      ahead.push(made.aheadMs);
    }
    const [same, before = 0, behind = 0, again] = ahead;
    assert.deepEqual([same, again], [0, 0]);
    assert.ok(before <= 3_600_000 && before > 3_590_000, String(before));
    assert.ok(behind >= -3_600_000 && behind < -3_590_000, String(behind));
  });

  it('reads the token anew for every request', async () => {
    await serve(() => OK);
    let token = 'first';
    const made = client({ token: () => `${token}\n` });
    await made.json({ method: 'GET', path: ['a'] });
    token = 'second';
    await made.json({ method: 'GET', path: ['a'] });
    assert.deepEqual(
      server.seen.map((seen) => seen.headers.authorization),
      ['token first', 'token second'],
    );
  });

  it('refuses a token that could break out of its header, without repeating it', async () => {
    await serve(() => OK);
    for (const token of ['', ' ', 'a\r\nX-Evil: 1']) {
      await assert.rejects(
        client({ token }).json({ method: 'GET', path: ['a'] }),
        (error: unknown) => error instanceof InvalidInputError && !error.message.includes('Evil'),
      );
    }
    assert.equal(server.seen.length, 0);
  });

  it('keeps names in their segment of the path', async () => {
    await serve(() => OK);
    await client().json({ method: 'GET', path: ['repos', 'a/../b', 'x?y#z', 7], query: { state: 'a&b' } });
    assert.equal(server.seen[0]?.url, '/api/v1/repos/a%2F..%2Fb/x%3Fy%23z/7?state=a%26b');
  });

  it('makes no request with a number that cannot be one or a segment that climbs', async () => {
    await serve(() => OK);
    for (const segment of [1.5, -1, 0, 2 ** 53, Number.NaN, '..', '.', '']) {
      await assert.rejects(client().json({ method: 'GET', path: ['issues', segment] }), InvalidInputError);
    }
    assert.equal(server.seen.length, 0);
  });

  for (const status of [429, 503]) {
    it(`repeats after ${String(status)} when the server's Retry-After is over`, async () => {
      await serve((_, count) => (count === 1 ? { status, headers: { 'retry-after': '1' } } : OK));
      const made = client({ retry: { baseMs: 1, capMs: 5_000 } });
      assert.deepEqual(await made.json({ method: 'GET', path: ['a'] }), { ok: true });
      const [first, second] = server.seen;
      const waited = (second?.at ?? 0) - (first?.at ?? 0);
      assert.ok(waited >= 990, `waited ${String(waited)} ms`);
    });
  }

  it('gives up after four tries', async () => {
    await serve(() => ({ status: 500 }));
    const error = await failure(client().json({ method: 'GET', path: ['a'] }));
    assert.deepEqual([error.status, error.retryable], [500, true]);
    assert.equal(server.seen.length, 4);
  });

  it('does not repeat a POST whose fate is unknown, unless told that it may be', async () => {
    await serve(() => ({ status: 502 }));
    await failure(client().json({ method: 'POST', path: ['a'], body: {} }));
    assert.equal(server.seen.length, 1);
    await failure(client().json({ method: 'POST', path: ['a'], body: {}, idempotent: true }));
    assert.equal(server.seen.length, 5);
  });

  it('repeats a POST that was turned away for its rate', async () => {
    await serve((_, count) => (count < 3 ? { status: 429 } : OK));
    await client().json({ method: 'POST', path: ['a'], body: {} });
    assert.equal(server.seen.length, 3);
  });

  for (const status of [400, 401, 403, 404, 409, 422]) {
    it(`takes ${String(status)} as final`, async () => {
      await serve(() => ({ status }));
      const error = await failure(client().json({ method: 'GET', path: ['a'] }));
      assert.deepEqual([error.status, error.retryable, server.seen.length], [status, false, 1]);
    });
  }

  it('repeats after a dropped connection', async () => {
    await serve((_, count) => (count === 1 ? 'drop' : OK));
    assert.deepEqual(await client().json({ method: 'GET', path: ['a'] }), { ok: true });
  });

  it('gives up on an answer that does not come', async () => {
    await serve(() => 'hang');
    const error = await failure(
      client({ timeoutMs: 40, retry: { tries: 2, baseMs: 1 } }).json({ method: 'GET', path: ['a'] }),
    );
    assert.deepEqual([error.status, error.retryable, server.seen.length], [0, true, 2]);
    assert.match(error.message, /no answer within 40 ms/);
  });

  it('says so when nobody listens, and tries again', async () => {
    await serve(() => OK);
    const made = client();
    await server.stop();
    const error = await failure(made.json({ method: 'POST', path: ['a'], body: {} }));
    assert.equal(error.status, 0);
    assert.match(error.message, /ECONNREFUSED.*is it running/);
    server = await ForgeServer.start(() => OK);
  });

  it('does not follow a redirect', async () => {
    await serve(() => ({ status: 302, headers: { location: `${server.url}/api/v1/elsewhere` } }));
    const error = await failure(client().json({ method: 'GET', path: ['a'] }));
    assert.equal(error.status, 302);
    assert.deepEqual(
      server.seen.map((seen) => seen.url),
      ['/api/v1/a'],
    );
  });

  it('stops reading an answer that is too large', async () => {
    await serve(() => ({ status: 200, body: 'x'.repeat(100_000) }));
    const error = await failure(client({ maxResponseBytes: 10_000 }).request({ method: 'GET', path: ['a'] }));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [413, false, 1]);
  });

  it('reads no more than the beginning where only that is wanted, however large the rest', async () => {
    await serve(({ url }) => ({
      status: url.endsWith('wrong') ? 404 : 200,
      body: 'ab'.repeat(50_000),
      headers: { 'content-type': 'text/plain' },
    }));
    const made = client({ maxResponseBytes: 10_000 });
    const request = { method: 'GET', path: ['a'], firstBytes: 5 } as const;
    assert.equal((await made.request(request)).text(), 'ababa');
    assert.equal((await made.request({ ...request, firstBytes: 100_000 })).text().length, 100_000);
    assert.equal((await failure(made.request({ ...request, path: ['wrong'] }))).status, 404);
  });

  it('says so when the answer is no JSON', async () => {
    await serve(() => ({
      status: 200,
      body: 'hello',
      headers: { 'content-type': 'text/plain' },
    }));
    const error = await failure(client().json({ method: 'GET', path: ['a'] }));
    assert.match(error.message, /not JSON.*hello/);
    assert.equal(error.retryable, false);
  });

  it('takes a page of what stands before the forge for a forge that is away', async () => {
    const page = {
      status: 200,
      body: '<html>maintenance</html>',
      headers: { 'content-type': 'text/html; charset=utf-8' },
    };
    await serve((_, count) => (count === 1 ? page : OK));
    assert.deepEqual(await client().json({ method: 'GET', path: ['a'] }), { ok: true });
    await server.stop();
    await serve(() => page);
    const error = await failure(client().request({ method: 'POST', path: ['a'], body: {} }));
    assert.deepEqual([error.retryable, error.away, server.seen.length], [true, true, 1]);
    assert.match(error.message, /proxy.*FORGE_GITEA_API.*<html>maintenance/);
  });

  it('repeats a read whose JSON was cut off, and takes a write like it for one without an answer', async () => {
    await serve((_, count) => (count === 1 ? { status: 200, body: '[{"id":1},{"i' } : OK));
    assert.deepEqual(await client().json({ method: 'GET', path: ['a'] }), { ok: true });
    await server.stop();
    await serve(() => ({ status: 201, body: '{"id":' }));
    const error = await failure(client().json({ method: 'POST', path: ['a'], body: {} }));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [0, true, 1]);
  });

  it('keeps the token out of every error, also when the server repeats it', async () => {
    await serve((seen, count) =>
      count === 1
        ? { status: 403, body: JSON.stringify({ message: `bad ${seen.headers.authorization ?? ''}` }) }
        : {
            status: 200,
            body: seen.headers.authorization ?? '',
            headers: { 'content-type': 'text/plain' },
          },
    );
    const made = client();
    for (let i = 0; i < 2; i += 1) {
      const error = await failure(made.json({ method: 'GET', path: ['a'] }));
      assert.ok(!`${error.message}${error.stack ?? ''}${JSON.stringify(error)}`.includes(TOKEN));
    }
  });

  it('reaches the forge through a Unix socket when given one', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-socket-'));
    try {
      const socketPath = join(dir, 'forge.sock');
      server = await ForgeServer.start(() => OK, socketPath);
      const made = new GiteaClient({ baseUrl: 'http://127.0.0.1:3000/api/v1', token: TOKEN, socketPath });
      clients.push(made);
      assert.deepEqual(await made.json({ method: 'GET', path: ['user'] }), { ok: true });
      assert.equal(server.seen[0]?.headers.host, '127.0.0.1:3000');
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('a client of the forge with a private authority', () => {
  it('names the setting of authorities that cannot be read', () => {
    assert.throws(
      () => new GiteaClient({ baseUrl: 'https://git.example/api/v1', token: 't', caFile: '/nowhere.pem' }),
      /^InvalidInputError: FORGE_CA_FILE can't be read: ENOENT.*nowhere\.pem/,
    );
  });
});
