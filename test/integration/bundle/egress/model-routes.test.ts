import assert from 'node:assert/strict';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { ModelRule, Route } from '../../../../src/domain/egress/route.js';
import { NO_USE, type ModelReport } from '../../../../src/domain/run/model-use.js';
import { until } from '../../../support/bundle/until.js';
import { ask, type Answer } from '../../../support/egress/clients.js';
import { routeTo, withEgress } from '../../../support/egress/egress-here.js';
import { httpUpstream, stopUpstreams } from '../../../support/egress/upstreams.js';

const SECRET = 'sk-test-0123456789abcdef';
const RULE: ModelRule = { api: 'anthropic-messages', models: ['claude-*'], maxOutputTokens: 1000, allow: [] };
const REQUEST = {
  model: 'claude-opus-5',
  max_tokens: 64_000,
  messages: [{ role: 'user', content: 'hello' }],
};
const ANSWER = { type: 'message', content: [], usage: { input_tokens: 100, output_tokens: 20 } };

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

describe('a route to a model', () => {
  const egress = withEgress();
  afterEach(stopUpstreams);
  const asked: Asked[] = [];
  beforeEach(() => (asked.length = 0));

  type Start = Parameters<ReturnType<typeof egress>['start']>[0];

  /** A provider that answers what it is told to. */
  async function provider(
    answer: (response: http.ServerResponse, request: Asked) => void = json(ANSWER),
    {
      rule = {},
      route = {},
      start = {},
    }: {
      readonly rule?: Partial<ModelRule>;
      readonly route?: Partial<Route>;
      readonly start?: Start;
    } = {},
  ): Promise<void> {
    const { url } = await httpUpstream((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const one = { method, url: path, headers, body: Buffer.concat(chunks).toString() };
        asked.push(one);
        answer(response, one);
      });
    });
    egress().secret('model-key', SECRET);
    egress().routes(
      routeTo(url, {
        name: 'anthropic',
        methods: ['GET', 'POST'],
        paths: ['/v1/'],
        auth: { header: 'x-api-key', prefix: '', secret: 'model-key' },
        model: { ...RULE, ...rule },
        ...route,
      }),
    );
    await egress().start(start);
  }

  const post = (
    body: unknown = REQUEST,
    more: Parameters<typeof ask>[2] = {},
    path = '/v1/messages',
  ): Promise<Answer> =>
    ask(egress().credentials, `/anthropic${path}`, {
      method: 'POST',
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      ...more,
    });

  /** What the worker is told, as soon as it fits. */
  const reported = (fits: (model: ModelReport) => boolean = () => true): Promise<ModelReport> =>
    until('a report of the model', () => {
      const model = egress().reports.at(-1)?.model ?? undefined;
      return model !== undefined && fits(model) ? model : undefined;
    });

  it('sends on what was judged, with the key, and says what the answer used', async () => {
    await provider();
    const { status, text } = await post(REQUEST, {
      headers: { 'content-type': 'text/plain', 'anthropic-version': '2023-06-01', 'x-api-key': 'mine' },
    });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), ANSWER);
    const [one] = asked;
    assert.deepEqual(JSON.parse(one?.body ?? ''), { ...REQUEST, max_tokens: 1000 });
    assert.equal(one?.headers['content-type'], 'application/json');
    assert.equal(one.headers['content-length'], String(one.body.length));
    assert.equal(one.headers['anthropic-version'], '2023-06-01');
    assert.equal(one.headers['x-api-key'], SECRET);
    assert.deepEqual(await reported(), {
      use: { ...NO_USE, requests: 1, inputTokens: 100, outputTokens: 20, microUsd: 1000 },
      trouble: null,
    });
    const [line] = await egress().lines(1);
    assert.deepEqual([line?.['inputTokens'], line?.['outputTokens'], line?.['microUsd']], [100, 20, 1000]);
    assert.ok(!JSON.stringify(egress().logged).includes(SECRET));
  });

  it('passes a stream on as it comes', async () => {
    let go = (): void => undefined;
    await provider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        event({ type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
      );
      go = () => {
        response.end(event({ type: 'message_delta', usage: { output_tokens: 9 } }));
      };
    });
    const seen: string[] = [];
    const over = new Promise<void>((resolve) => {
      const request = http.request(
        { socketPath: egress().credentials, path: '/anthropic/v1/messages', method: 'POST' },
        (response) => {
          response.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
          response.on('end', resolve);
        },
      );
      request.end(JSON.stringify({ ...REQUEST, stream: true }));
    });
    await until('the first event', () => (seen.join('').includes('message_start') ? true : undefined));
    assert.ok(!seen.join('').includes('message_delta'));
    go();
    await over;
    const { use } = await reported();
    assert.deepEqual([use.requests, use.inputTokens, use.outputTokens], [1, 7, 9]);
  });

  it('refuses what the rules refuse, in the provider’s form, and sends nothing', async () => {
    await provider();
    for (const [body, status, why] of [
      [{ ...REQUEST, model: 'gpt-5' }, 403, /allowed: claude-\*/],
      [{ ...REQUEST, tools: [{ type: 'web_search_20250305' }] }, 403, /server_tools/],
      ['{"model":"claude-opus-5","max_tokens":1,"messages":[],', 400, /not JSON/],
      ['', 400, /not JSON/],
      ['['.repeat(1000), 400, /nested/],
    ] as const) {
      const answer = await post(body);
      assert.equal(answer.status, status);
      const { type, error } = JSON.parse(answer.text) as {
        type: string;
        error: { type: string; message: string };
      };
      assert.equal(type, 'error');
      assert.equal(error.type, status === 403 ? 'permission_error' : 'invalid_request_error');
      assert.match(error.message, why);
      assert.equal(answer.headers['x-should-retry'], 'false');
    }
    assert.deepEqual(asked, []);
    const [line] = await egress().lines(5);
    assert.equal(line?.['verdict'], 'refused');
  });

  it('refuses in OpenAI’s form what goes there, and keeps nothing at the provider', async () => {
    const rule = { api: 'openai-responses', models: ['gpt-5'] } as const;
    await provider(json({ status: 'completed', usage: { input_tokens: 8, output_tokens: 1 } }), { rule });
    const refused = await post({ model: 'gpt-6', input: 'x' }, {}, '/v1/responses');
    assert.equal(refused.status, 403);
    const { error } = JSON.parse(refused.text) as { error: Readonly<Record<string, unknown>> };
    assert.deepEqual([error['type'], error['code']], ['invalid_request_error', 'not_allowed']);
    await post({ model: 'gpt-5', input: 'x' }, {}, '/v1/responses');
    assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), {
      ...{ model: 'gpt-5', input: 'x', max_output_tokens: 1000, store: false },
    });
    // This call takes no such keys.
    await post({ model: 'gpt-5', input: [] }, {}, '/v1/responses/compact');
    assert.deepEqual(JSON.parse(asked[1]?.body ?? ''), { model: 'gpt-5', input: [] });
    assert.equal((await reported(({ use }) => use.requests === 2)).use.outputTokens, 2);
  });

  it('refuses calls whose bodies nobody here can judge', async () => {
    await provider();
    for (const path of [
      '/v1/files',
      '/v1/messages/batches',
      '/v1/messages/',
      '/v1/responses',
      '/v1/x%2fmessages',
    ])
      assert.equal((await post(REQUEST, {}, path)).status, 403, path);
    assert.deepEqual(asked, []);
  });

  it('takes compressed bodies apart, and sends them plain', async () => {
    await provider();
    const bytes = Buffer.from(JSON.stringify(REQUEST));
    for (const [encoding, body] of [
      ['gzip', gzipSync(bytes)],
      ['deflate', deflateSync(bytes)],
      ['br', brotliCompressSync(bytes)],
    ] as const) {
      const { status } = await post(body, { headers: { 'content-encoding': encoding } });
      assert.equal(status, 200, encoding);
      const { body: sent, headers } = asked.at(-1) ?? { body: '', headers: {} };
      assert.equal(headers['content-encoding'], undefined);
      assert.deepEqual(JSON.parse(sent), { ...REQUEST, max_tokens: 1000 });
    }
    const evil = Buffer.from(JSON.stringify({ ...REQUEST, model: 'gpt-5' }));
    assert.equal((await post(gzipSync(evil), { headers: { 'content-encoding': 'gzip' } })).status, 403);
    assert.equal((await post(bytes, { headers: { 'content-encoding': 'gzip' } })).status, 415);
    assert.equal((await post(bytes, { headers: { 'content-encoding': 'zstd' } })).status, 415);
    assert.equal(
      (await post(gzipSync(bytes), { headers: { 'content-encoding': 'gzip, gzip' } })).status,
      415,
    );
    assert.equal(asked.length, 3);
  });

  it('reads no more than a request may have, packed or not', async () => {
    await provider(json(ANSWER), { start: { limits: { maxBodyBytes: 100_000 } } });
    const large = JSON.stringify({ ...REQUEST, x: 'x'.repeat(200_000) });
    assert.equal((await post(large)).status, 413);
    assert.equal((await post(large, { headers: { 'transfer-encoding': 'chunked' } })).status, 413);
    assert.equal((await post(gzipSync(large), { headers: { 'content-encoding': 'gzip' } })).status, 413);
    assert.deepEqual(asked, []);
  });

  it('has room for so many bytes at a time, and gives it back', async () => {
    await provider();
    // Each says what it means to send, sends nearly all of it, and waits.
    const half = '{"model":"claude-opus-5","x":"'.padEnd(15 * 1024 * 1024, 'x');
    const head = `POST /anthropic/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: ${String(half.length + 10)}`;
    const waiting: Socket[] = [];
    for (let one = 0; one < 2; one += 1) {
      const socket = connect(egress().credentials);
      socket.on('error', () => undefined);
      waiting.push(socket);
      // When this is over, what is not here yet fits into a socket's buffer.
      await new Promise((resolve) => socket.write(`${head}\r\n\r\n${half}`, resolve));
    }
    const third = JSON.stringify({ ...REQUEST, x: 'x'.repeat(5 * 1024 * 1024) });
    assert.equal((await post(third)).status, 503);
    for (const socket of waiting) socket.destroy();
    await until('room again', async () => ((await post(third)).status === 200 ? true : undefined));
  });

  it('meters answers that come compressed, with a key or without', async () => {
    for (const auth of [null, { header: 'x-api-key', prefix: '', secret: 'model-key' }]) {
      await provider(
        (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
          response.end(gzipSync(JSON.stringify(ANSWER)));
        },
        { route: { auth } },
      );
      assert.deepEqual(JSON.parse((await post()).text), ANSWER);
      assert.equal((await reported()).use.outputTokens, 20);
      await egress().stop();
      egress().reports.length = 0;
    }
  });

  it('counts a client that leaves, and a provider that leaves', async () => {
    await provider((response, { body }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        event({ type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
      );
      response.write(
        event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'x'.repeat(300) } }),
      );
      if (body.includes('break')) setImmediate(() => response.destroy());
    });
    await new Promise<void>((resolve) => {
      const request = http.request(
        { socketPath: egress().credentials, path: '/anthropic/v1/messages', method: 'POST' },
        (response) => {
          response.on('error', () => undefined);
          response.once('data', () => {
            request.destroy();
            resolve();
          });
        },
      );
      request.on('error', () => undefined);
      request.end(JSON.stringify(REQUEST));
    });
    const left = await reported(({ use }) => use.requests === 1);
    assert.deepEqual([left.use.inputTokens, left.use.outputTokens, left.trouble], [7, 100, null]);
    await assert.rejects(post({ ...REQUEST, system: 'break' }));
    const broken = await reported(({ use }) => use.failed === 1);
    assert.deepEqual(broken.trouble, { kind: 'overloaded', status: 0 });
    assert.deepEqual([broken.use.inputTokens, broken.use.outputTokens], [14, 200]);
  });

  it('says what the provider said was wrong, until it answers well', async () => {
    const answers: [number, http.OutgoingHttpHeaders][] = [
      [429, { 'retry-after': '7200' }],
      [529, {}],
      [401, {}],
    ];
    await provider((response) => {
      const [status, headers] = answers.shift() ?? [200, {}];
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(ANSWER));
    });
    const began = Date.now();
    assert.equal((await post()).status, 429);
    const { trouble } = await reported();
    assert.ok(trouble?.kind === 'limited');
    assert.ok(trouble.until >= began + 7_200_000 && trouble.until <= Date.now() + 7_200_000);
    await post();
    assert.deepEqual((await reported(({ use }) => use.failed === 2)).trouble, {
      kind: 'overloaded',
      status: 529,
    });
    await post();
    assert.deepEqual((await reported(({ use }) => use.failed === 3)).trouble, {
      kind: 'refused',
      status: 401,
    });
    assert.equal(egress().reports.at(-1)?.lastSuccessAt, null);
    await post();
    const { use, trouble: over } = await reported(({ use: { requests } }) => requests === 1);
    assert.deepEqual([over, use.failed, use.inputTokens], [null, 3, 100]);
    assert.ok((egress().reports.at(-1)?.lastSuccessAt ?? 0) >= began);
  });

  it('says so when the provider cannot be reached', async () => {
    await provider();
    await stopUpstreams();
    assert.equal((await post()).status, 502);
    const { use, trouble } = await reported();
    assert.deepEqual(
      [trouble, use],
      [
        { kind: 'overloaded', status: 0 },
        { ...NO_USE, failed: 1 },
      ],
    );
  });

  it('is closed when the budget is used up, and only then', async () => {
    await provider(json(ANSWER), { start: { budget: { tokens: 200, microUsd: null } } });
    assert.equal((await post()).status, 200);
    assert.equal((await post()).status, 200);
    assert.equal((await reported(({ use }) => use.requests === 2)).trouble, null);
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const refused = await post(REQUEST, {}, path);
      assert.equal(refused.status, 400);
      assert.equal(refused.headers['x-should-retry'], 'false');
      assert.match(refused.text, /"invalid_request_error".*budget of tokens is used up/);
    }
    assert.equal(asked.length, 2);
    assert.deepEqual((await reported(({ trouble }) => trouble !== null)).trouble, {
      ...{ kind: 'over_budget', what: 'tokens' },
    });
  });

  it('is closed by money, at the operator’s prices', async () => {
    const prices = [['claude-*', { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 }]] as const;
    await provider(json(ANSWER), { start: { budget: { tokens: null, microUsd: 100_000 }, prices } });
    assert.equal((await post()).status, 200);
    assert.equal((await reported()).use.microUsd, 100_000);
    assert.match((await post()).text, /budget of money is used up/);
  });

  it('takes nothing for counting, and no sign of life from it', async () => {
    await provider(json({ input_tokens: 5 }));
    assert.equal(
      (await post({ model: 'claude-opus-5', messages: [] }, {}, '/v1/messages/count_tokens')).status,
      200,
    );
    assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), { model: 'claude-opus-5', messages: [] });
    assert.equal((await ask(egress().credentials, '/anthropic/v1/models')).status, 200);
    assert.equal((await post({ model: 'gpt-5' }, {}, '/v1/messages/count_tokens')).status, 403);
    await egress().stop();
    const last = egress().reports.at(-1);
    assert.deepEqual([last?.model, last?.lastSuccessAt], [null, null]);
  });

  it('has so many answers at a time', async () => {
    const open: http.ServerResponse[] = [];
    await provider((response) => open.push(response));
    const sixteen = Array.from({ length: 16 }, () => post());
    await until('sixteen requests', () => (asked.length === 16 ? true : undefined));
    const { status, headers } = await post();
    assert.deepEqual([status, headers['retry-after']], [429, '2']);
    for (const response of open) json(ANSWER)(response);
    for (const { status: good } of await Promise.all(sixteen)) assert.equal(good, 200);
    const more = post();
    await until('one more', () => (asked.length === 17 ? true : undefined));
    const last = open.at(-1);
    if (last !== undefined) json(ANSWER)(last);
    assert.equal((await more).status, 200);
  });
});

function json(value: unknown) {
  return (response: http.ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
