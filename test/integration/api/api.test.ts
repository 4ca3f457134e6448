import assert from 'node:assert/strict';
import { get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { ServedHome } from '../../support/api/served-home.js';
import { ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';
import { cliWith } from '../../unit/cli/small-world.js';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly detail?: string; readonly runs?: { slug: string }[] };
}

describe('the HTTP API', () => {
  let home: RecordedHome;
  let api: ServedHome;
  let read: { id: string; secret: string };
  let operate: { id: string; secret: string };

  before(async () => {
    home = await RecordedHome.make();
    api = await ServedHome.start(home.dir);
    read = await api.token('read');
    operate = await api.token('operate');
  });
  after(async () => {
    await api.stop();
    await home.remove();
  });

  const ask = async (path: string, init: RequestInit & { token?: string } = {}): Promise<Answer> => {
    const { token = read.secret, ...rest } = init;
    const headers = { authorization: `Bearer ${token}`, ...(rest.headers as Record<string, string>) };
    const response = await fetch(api.url + path, { ...rest, headers });
    const answered = await response.text();
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      headers: response.headers,
      body: (answered === '' ? {} : JSON.parse(answered)) as Answer['body'],
    };
  };
  const tell = (path: string, body: unknown, token: string): Promise<Answer> =>
    ask(path, {
      ...{ method: 'POST', token, body: typeof body === 'string' ? body : JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });

  const statusOf = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      httpGet(api.url + path, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });

  /** What is answered until the connection ends. */
  const raw = async (request: string): Promise<string> => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(request);
    return text(socket);
  };

  it('lists runs page by page, by filter, and says when nothing has changed', async () => {
    const one = await ask('/runs?limit=1');
    assert.equal(one.status, 200);
    const two = await ask(`/runs?limit=1&cursor=${String(one.body['next'])}`);
    const slugs = [one, two].flatMap(({ body }) => (body.runs ?? []).map(({ slug }) => slug));
    assert.deepEqual(slugs.sort(), [ENDED, FROZEN]);
    assert.equal(two.body['next'], null);
    assert.deepEqual((await ask('/runs?repo=alice/dem')).body.runs, []);
    assert.equal((await ask('/runs?repo=alice/demo')).body.runs?.length, 2);
    assert.deepEqual(
      (await ask('/runs?phase=frozen')).body.runs?.map(({ slug }) => slug),
      [FROZEN],
    );
    // `fetch` would ask for what is not cached.
    const headers = {
      'if-none-match': one.headers.get('etag') ?? '',
      authorization: `Bearer ${read.secret}`,
    };
    assert.equal(await statusOf('/runs?limit=1', headers), 304);
  });

  it('says of a run what its rows say, and that the workflow could not be asked', async () => {
    const { status, body } = await ask(`/runs/${FROZEN}`);
    assert.equal(status, 200);
    assert.equal((body['run'] as { agentName: string }).agentName, 'coder');
    assert.equal((body['now'] as { stale: boolean }).stale, true);
    const turns = (await ask(`/runs/${ENDED}/turns`)).body['turns'] as { turn: number; event: string }[];
    assert.deepEqual(
      turns.map(({ turn, event }) => `${String(turn)} ${event}`),
      ['1 begun', '1 ended', '2 begun', '2 ended'],
    );
  });

  it('pages through what the agent did', async () => {
    const all = (await ask(`/runs/${ENDED}/operations`)).body['operations'] as object[];
    const first = await ask(`/runs/${ENDED}/operations?limit=1`);
    const rest = await ask(`/runs/${ENDED}/operations?cursor=${String(first.body['next'])}`);
    assert.deepEqual(
      [first, rest].flatMap(({ body }) => body['operations']),
      all,
    );
    assert.ok(all.length > 1);
  });

  it('has the same record as the command line', async () => {
    const cli = cliWith({ deps: { provenance: () => openProvenance(home.dir) } });
    const shown = await cli.run('provenance', 'show', ENDED, '--json');
    assert.deepEqual((await ask(`/runs/${ENDED}/provenance`)).body, JSON.parse(shown.stdout));
    const { body } = await ask(`/runs/${ENDED}/provenance/verdict`);
    assert.deepEqual([body['ok'], body['ended'], body['problems']], [true, true, []]);
  });

  it('lets a token that may only read decide and command nothing', async () => {
    for (const path of [`/runs/${FROZEN}/commands`, `/proposals/${'0'.repeat(32)}/decision`]) {
      const { status, body } = await tell(path, { kind: 'freeze' }, read.secret);
      assert.equal(status, 403);
      assert.match(body.detail ?? '', /scope operate/);
    }
  });

  it('says who does not answer when a command cannot reach its workflow', async () => {
    const { status, headers, body } = await tell(
      `/runs/${FROZEN}/commands`,
      { kind: 'freeze' },
      operate.secret,
    );
    assert.equal(status, 503);
    assert.ok(headers.get('retry-after'));
    assert.match(body.detail ?? '', /bot-bottle doctor/);
  });

  it('refuses with what to do, as problem+json', async () => {
    const cases: readonly (readonly [number, Promise<Answer>])[] = [
      [400, ask('/runs?limit=201')],
      [400, ask('/runs?limit=1&limit=2')],
      [400, ask('/runs?surprise=1')],
      [400, ask('/runs/..%2f..%2fetc')],
      [400, ask('/runs/%ff')],
      [400, ask('/events', { headers: { 'last-event-id': 'x' } })],
      // Nothing was told after a row that there never was: to wait for it would lose all before it.
      [400, ask('/events', { headers: { 'last-event-id': '999999999999999-0' } })],
      [400, ask(`/runs/${FROZEN}/logs`, { headers: { 'last-event-id': '99-5' } })],
      [400, ask(`/runs/${ENDED}/logs`, { headers: { 'last-event-id': '3-0' } })],
      [400, ask(`/runs/${ENDED}/logs`, { headers: { 'last-event-id': '1-999' } })],
      [401, ask('/runs', { token: 'bbt_wrong' })],
      [403, ask('/runs', { headers: { origin: 'https://evil.example' } })],
      [403, ask('/openapi.json', { headers: { 'sec-fetch-site': 'cross-site' } })],
      [404, ask('/other')],
      [404, ask('/runs/nobody')],
      [404, ask('/runs/nobody/logs')],
      [404, ask(`/proposals/${'0'.repeat(32)}`)],
      [405, ask('/runs', { method: 'DELETE' })],
      [405, ask('/openapi.json', { method: 'POST' })],
      [400, tell(`/runs/${FROZEN}/commands`, { kind: 'explode' }, operate.secret)],
      [400, tell(`/runs/${FROZEN}/commands`, '{', operate.secret)],
      [404, tell('/runs/nobody/commands', { kind: 'freeze' }, operate.secret)],
      [413, tell(`/runs/${FROZEN}/commands`, `"${'x'.repeat(600_000)}"`, operate.secret)],
      [415, ask(`/runs/${FROZEN}/commands`, { method: 'POST', body: 'kind=freeze', token: operate.secret })],
    ];
    for (const [index, [status, asked]] of cases.entries()) {
      const answer = await asked;
      assert.equal(answer.status, status, `case ${String(index)}: ${JSON.stringify(answer.body)}`);
      assert.match(answer.type, /^application\/problem\+json/);
      assert.ok(answer.body.detail);
    }
    const { headers } = await ask('/runs', { method: 'DELETE' });
    assert.equal(headers.get('allow'), 'GET');
  });

  it('answers to no other name: a page cannot lead a browser here', async () => {
    const headers = { host: 'evil.example', authorization: `Bearer ${read.secret}` };
    assert.equal(await statusOf('/runs', headers), 403);
  });

  it('holds a token to so many requests a minute, and says how long to wait', async () => {
    const strict = await ServedHome.start(home.dir, { requestsPerMinute: 2 });
    try {
      const { secret } = await strict.token('read');
      const headers = { authorization: `Bearer ${secret}` };
      const statuses: number[] = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await fetch(`${strict.url}/runs`, { headers })).status);
      assert.deepEqual(statuses, [200, 200, 429]);
    } finally {
      await strict.stop();
    }
  });

  it('stops under a request that Temporal does not answer, and throws nothing afterwards', async () => {
    const stopped = await ServedHome.start(home.dir);
    const { secret } = await stopped.token('operate');
    const thrown: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => thrown.push(error));
    try {
      const asked = fetch(`${stopped.url}/runs/${FROZEN}/commands`, {
        ...{ method: 'POST', body: '{"kind":"freeze"}' },
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      }).catch(() => undefined);
      // Long enough for a first try, and not for the last.
      await sleep(300);
      await stopped.stop();
      await asked;
      await sleep(3_000);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
    assert.deepEqual(thrown, []);
  });

  it('ends with its token, whether that is revoked or has expired', async () => {
    const short = await api.token('read');
    assert.equal((await ask('/runs', { token: short.secret })).status, 200);
    await api.revoke(short.id);
    assert.equal((await ask('/runs', { token: short.secret })).status, 401);
    const expired = await api.token('operate', -1);
    assert.equal((await ask('/runs', { token: expired.secret })).status, 401);
  });

  it('says in its own way, too, that a request is none', async () => {
    for (const [status, request] of [
      [400, 'GET /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nno colon\r\n\r\n'],
      [431, `GET /api/v1/runs?agent=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`],
    ] as const) {
      const [head = '', body = ''] = (await raw(request)).split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1.1 ${String(status)} [^]*application/problem\\+json`));
      assert.equal((JSON.parse(body) as { status: number }).status, status);
    }
  });

  it('answers HEAD of a stream with its head alone, and the connection goes on', async () => {
    const head = (path: string) =>
      `HEAD /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${read.secret}\r\n`;
    const said = await raw(`${head('/events')}\r\n${head('/runs')}Connection: close\r\n\r\n`);
    assert.match(said, /^HTTP\/1.1 200 OK[^]*text\/event-stream[^]*HTTP\/1.1 200 OK[^]*application\/json/);
  });
});
