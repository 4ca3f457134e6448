import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GithubClient } from '../../../../src/adapters/github/github-client.js';
import type {
  GithubAnswer,
  GithubApi,
  GithubClientOptions,
} from '../../../../src/adapters/github/github-client.js';
import { ForgeHttpError, InvalidInputError } from '../../../../src/domain/errors.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';
import type { Answer, SeenRequest } from '../../../support/gitea/forge-server.js';

const TOKEN = 'ghp_c0ffee'.repeat(4);
const OK: Answer = { status: 200, body: '{"ok":true}' };
const read = (api: GithubApi): Promise<GithubAnswer> => api.users.getAuthenticated();
const write = (api: GithubApi): Promise<GithubAnswer> =>
  api.issues.createComment({ owner: 'alice', repo: 'demo', issue_number: 1, body: 'x' });

describe('the client of GitHub', () => {
  let server: ForgeServer;
  const clients: GithubClient[] = [];

  async function serve(
    answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>,
  ): Promise<void> {
    server = await ForgeServer.start(answer);
  }

  function client(options: Partial<GithubClientOptions> = {}): GithubClient {
    const made = new GithubClient({
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

  it('sends the token in one header and nowhere else, names itself and the version of the API', async () => {
    await serve(() => OK);
    await client().call(write);
    const [seen] = server.seen;
    assert.equal(seen?.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(JSON.stringify(server.seen).split(TOKEN).length, 2, 'once');
    assert.match(seen.headers['user-agent'] ?? '', /^bot-bottle-orchestrator /);
    assert.equal(seen.headers['x-github-api-version'], '2022-11-28');
    assert.deepEqual([seen.url, seen.body], ['/repos/alice/demo/issues/1/comments', '{"body":"x"}']);
  });

  it('asks below the path of an Enterprise server', async () => {
    await serve(() => OK);
    await client({ baseUrl: `${server.url}/api/v3/` }).call(read);
    assert.equal(server.seen[0]?.url, '/api/v3/user');
  });

  it('reads the token anew for every request', async () => {
    await serve(() => OK);
    let token = 'first';
    const made = client({ token: () => `${token}\n` });
    await made.call(read);
    token = 'second';
    await made.call(read);
    assert.deepEqual(
      server.seen.map((seen) => seen.headers.authorization),
      ['Bearer first', 'Bearer second'],
    );
  });

  it('refuses a token that could break out of its header, without repeating it', async () => {
    await serve(() => OK);
    for (const token of ['', ' ', 'a\r\nX-Evil: 1']) {
      await assert.rejects(
        client({ token }).call(read),
        (error: unknown) => error instanceof InvalidInputError && !error.message.includes('Evil'),
      );
    }
    assert.equal(server.seen.length, 0);
  });

  it('keeps names in their place in the path, and makes no request with one that climbs', async () => {
    await serve(() => OK);
    const member = (username: string) => (api: GithubApi) =>
      api.orgs.checkMembershipForUser({ org: 'bot-bottle', username });
    await client().call(member('a/../b?x#y'));
    assert.equal(server.seen[0]?.url, '/orgs/bot-bottle/members/a%2F..%2Fb%3Fx%23y');
    for (const name of ['..', '.']) await assert.rejects(client().call(member(name)), InvalidInputError);
    assert.equal(server.seen.length, 1);
  });

  for (const status of [429, 503, 403]) {
    it(`repeats after ${String(status)} when the server's Retry-After is over`, async () => {
      await serve((_, count) => (count === 1 ? { status, headers: { 'retry-after': '1' } } : OK));
      await client({ retry: { baseMs: 1, capMs: 5_000 } }).call(read);
      const [first, second] = server.seen;
      const waited = (second?.at ?? 0) - (first?.at ?? 0);
      assert.ok(waited >= 990, `waited ${String(waited)} ms`);
    });
  }

  it('waits for the hourly limit to be full again when that is soon', async () => {
    await serve((_, count) => {
      if (count > 1) return OK;
      const reset = String(Math.ceil(Date.now() / 1000) + 1);
      return { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } };
    });
    await client({ retry: { capMs: 5_000 } }).call(write);
    const [first, second] = server.seen;
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 900);
  });

  it('leaves a long wait to the caller: no second request, and an error that may be repeated', async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 1800);
    const answers: Answer[] = [
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
      { status: 429, headers: { 'retry-after': '3600' } },
      { status: 403, body: '{"message":"You have exceeded a secondary rate limit."}' },
    ];
    await serve((_, count) => answers[count - 1] ?? OK);
    for (const [index] of answers.entries()) {
      const error = await failure(client().call(read));
      assert.deepEqual([error.status, error.retryable, server.seen.length], [429, true, index + 1]);
    }
  });

  it('takes a 403 for want of a right as final', async () => {
    await serve(() => ({
      status: 403,
      body: '{"message":"Resource not accessible by personal access token"}',
    }));
    const error = await failure(client().call(read));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [403, false, 1]);
    assert.match(error.message, /lacks the right.*Resource not accessible/);
  });

  it('gives up after four tries', async () => {
    await serve(() => ({ status: 500 }));
    const error = await failure(client().call(read));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [500, true, 4]);
  });

  it('does not repeat a POST whose fate is unknown, unless told that it may be', async () => {
    await serve(() => ({ status: 502 }));
    await failure(client().call(write));
    assert.equal(server.seen.length, 1);
    await failure(client().call(write, { idempotent: true }));
    assert.equal(server.seen.length, 5);
  });

  for (const [status, becomes] of [
    [400, 400],
    [401, 401],
    [404, 404],
    [409, 409],
    [422, 422],
    [410, 404],
    [301, 404],
    [302, 302],
    [304, 304],
  ] as const) {
    it(`takes ${String(status)} as final, as ${String(becomes)}`, async () => {
      await serve(() => ({ status, headers: { location: `${server.url}/elsewhere` } }));
      const error = await failure(client().call(read));
      assert.deepEqual([error.status, error.retryable], [becomes, false]);
      assert.deepEqual(
        server.seen.map((seen) => seen.url),
        ['/user'],
        'not followed',
      );
    });
  }

  it('repeats after a dropped connection', async () => {
    await serve((_, count) => (count === 1 ? 'drop' : OK));
    assert.deepEqual((await client().call(read)).data, { ok: true });
  });

  it('gives up on an answer that does not come', async () => {
    await serve(() => 'hang');
    const error = await failure(client({ timeoutMs: 40, retry: { tries: 2, baseMs: 1 } }).call(read));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [0, true, 2]);
    assert.match(error.message, /GET \/user: no answer .*within 40 ms.*FORGE_GITHUB_API/);
  });

  it('says so when nobody listens', async () => {
    await serve(() => OK);
    const made = client();
    await server.stop();
    const error = await failure(made.call(write));
    assert.deepEqual([error.status, error.method], [0, 'POST']);
    assert.match(error.message, /ECONNREFUSED.*is it running/);
    server = await ForgeServer.start(() => OK);
  });

  it('stops reading an answer that is too large', async () => {
    await serve(() => ({ status: 200, body: 'x'.repeat(100_000) }));
    const error = await failure(client({ maxResponseBytes: 10_000 }).call(read));
    assert.deepEqual([error.status, error.retryable, server.seen.length], [413, false, 1]);
  });

  it('keeps the token out of every error and off the console, also when the server repeats it', async () => {
    await serve((seen, count) =>
      count === 1
        ? { status: 403, body: JSON.stringify({ message: `bad ${seen.headers.authorization ?? ''}` }) }
        : 'drop',
    );
    const written: unknown[] = [];
    // Where Octokit's own log would go.
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (text: unknown) => written.push(text) > 0;
    try {
      const made = client({ retry: { tries: 1 } });
      for (let i = 0; i < 2; i += 1) {
        const error = await failure(made.call(read));
        const cause = error.cause instanceof Error ? `${error.cause.message}${error.cause.stack ?? ''}` : '';
        assert.ok(!`${error.message}${error.stack ?? ''}${cause}${JSON.stringify(error)}`.includes(TOKEN));
      }
    } finally {
      process.stderr.write = write;
    }
    assert.deepEqual(written, []);
  });

  it('reaches the forge through a Unix socket when given one', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-socket-'));
    try {
      const socketPath = join(dir, 'forge.sock');
      server = await ForgeServer.start(() => OK, socketPath);
      const made = new GithubClient({ baseUrl: 'http://127.0.0.1:3000/api/v3', token: TOKEN, socketPath });
      clients.push(made);
      assert.deepEqual((await made.call(read)).data, { ok: true });
      assert.equal(server.seen[0]?.headers.host, '127.0.0.1:3000');
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
