import assert from 'node:assert/strict';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ModelRule, Route } from '../../../../../src/domain/egress/route.js';
import { NO_USE, type ModelReport } from '../../../../../src/domain/run/model-use.js';
import { until } from '../../../../support/bundle/until.js';
import type { Answer } from '../../../../support/egress/clients.js';
import { AUTH, SECRET, withKeyedRoute } from '../../../../support/egress/keyed-route.js';
import { stopUpstreams } from '../../../../support/egress/upstreams.js';

const model: ModelRule = {
  ...{ api: 'anthropic-messages', models: ['claude-*'], allow: [], maxOutputTokens: 500 },
};
const REQUEST = { model: 'claude-opus-5', max_tokens: 1000, messages: [] };
const USAGE = { input_tokens: 10, output_tokens: 20 };

interface Asked {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

describe('a route to a model, through the proxy that adds keys', () => {
  const { egress, get, keyed, noSecret } = withKeyedRoute();
  let asked: Asked[];
  beforeEach(() => (asked = []));

  type Start = Parameters<ReturnType<typeof egress>['start']>[0];

  async function provider(
    answer: (response: http.ServerResponse, body: string) => void = json(200),
    { route = {}, start = {} }: { readonly route?: Partial<Route>; readonly start?: Start } = {},
  ): Promise<void> {
    const listener: http.RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push({ headers: request.headers, body });
        answer(response, body);
      });
    };
    await keyed(listener, { model, methods: ['GET', 'POST'], paths: ['/v1/'], ...route }, start);
  }
  const post = (
    body: unknown = REQUEST,
    path = '/v1/messages',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> =>
    get(`/files${path}`, {
      method: 'POST',
      body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
      headers: { 'content-type': 'text/odd', 'content-md5': 'x', 'x-mine': 'kept', ...headers },
    });
  /** What the worker is told of the model, as soon as it fits. */
  const told = (fits: (model: ModelReport) => boolean): Promise<ModelReport> =>
    until('a report of the model', () => {
      const report = egress().reports.at(-1)?.model ?? undefined;
      return report !== undefined && fits(report) ? report : undefined;
    });
  async function reported(): Promise<ReturnType<typeof egress>['reports'][number]> {
    await egress().stop();
    return egress().reports.at(-1) ?? assert.fail('nothing was reported');
  }

  it('sends what was judged, with the key and its own length and type, and says what it cost', async () => {
    await provider();
    const { status, text } = await post();
    assert.deepEqual([status, JSON.parse(text)], [200, { usage: USAGE }]);
    const [{ headers, body } = assert.fail()] = asked;
    assert.deepEqual(JSON.parse(body), { ...REQUEST, max_tokens: 500 });
    assert.deepEqual(
      [headers['content-type'], headers['content-length'], headers['content-md5'], headers['x-mine']],
      ['application/json', String(body.length), undefined, 'kept'],
    );
    assert.equal(headers['x-api-key'], SECRET);
    const [line] = await egress().lines(1);
    assert.deepEqual(
      [line?.['verdict'], line?.['status'], line?.['up'], line?.['inputTokens'], line?.['outputTokens']],
      ['allowed', 200, body.length, 10, 20],
    );
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used?.use.requests, used?.use.outputTokens, used?.trouble], [1, 20, null]);
    assert.notEqual(lastSuccessAt, null);
    noSecret();
  });

  it('refuses in the provider’s form what may not be asked, for good, and asks nobody', async () => {
    await provider();
    const { status, text, headers } = await post({ ...REQUEST, model: 'gpt-5' });
    assert.deepEqual([status, headers['x-should-retry']], [403, 'false']);
    assert.match(
      text,
      /^\{"type":"error","error":\{"type":"permission_error","message":"bot-bottle: the model/,
    );
    assert.deepEqual(asked, []);
    const [line] = await egress().lines(1);
    assert.deepEqual([line?.['verdict'], line?.['status'], line?.['route']], ['refused', 403, 'files']);
    const { refusals, model: used } = await reported();
    assert.deepEqual([refusals.length, used], [1, null]);
  });

  it('tells of a provider that fails, which is no sign of life', async () => {
    await provider(json(529, { error: {} }));
    assert.equal((await post()).status, 529);
    await egress().lines(1);
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used?.trouble, used?.use.failed], [{ kind: 'overloaded', status: 529 }, 1]);
    assert.equal(lastSuccessAt, null);
  });

  it('counts for nothing, and as no sign of life, when it only counts', async () => {
    await provider();
    assert.equal((await post(REQUEST, '/v1/messages/count_tokens')).status, 200);
    await egress().lines(1);
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used, lastSuccessAt], [null, null]);
  });

  it('takes a compressed request apart, and says nothing of an encoding to the provider', async () => {
    await provider();
    const body = gzipSync(JSON.stringify(REQUEST));
    assert.equal((await post(body, '/v1/messages', { 'content-encoding': 'gzip' })).status, 200);
    const [sent = assert.fail()] = asked;
    assert.equal(sent.headers['content-encoding'], undefined);
    assert.deepEqual(JSON.parse(sent.body), { ...REQUEST, max_tokens: 500 });
  });

  for (const auth of [null, AUTH])
    it(`meters an answer that comes compressed, ${auth === null ? 'without' : 'with'} a key`, async () => {
      await provider(
        (response) => {
          response.writeHead(200, { 'content-encoding': 'gzip' });
          response.end(gzipSync(JSON.stringify({ usage: USAGE })));
        },
        { route: { auth } },
      );
      assert.deepEqual(JSON.parse((await post()).text), { usage: USAGE });
      const { model: used } = await reported();
      assert.deepEqual([used?.use.inputTokens, used?.use.outputTokens], [10, 20]);
    });

  /** A stream that says what went in, writes 300 bytes, and does not end by itself. */
  const begin = (response: http.ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      'data: {"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}\n\n',
    );
    const delta = { type: 'text_delta', text: 'x'.repeat(300) };
    response.write(`data: ${JSON.stringify({ type: 'content_block_delta', delta })}\n\n`);
  };
  /** Asks, and leaves when the answer has begun, or as soon as the provider is at work. */
  async function leave(when: 'begun' | 'asked'): Promise<void> {
    const socketPath = egress().credentials;
    const request = http.request({ socketPath, path: '/files/v1/messages', method: 'POST' }, (response) => {
      response.on('error', () => undefined).once('data', () => request.destroy());
    });
    const closed = new Promise((resolve) => request.once('close', resolve));
    const before = asked.length;
    request.on('error', () => undefined).end(JSON.stringify(REQUEST));
    if (when === 'asked') {
      await until('the provider at work', () => asked.length > before || undefined);
      request.destroy();
    }
    await closed;
  }

  it('counts of a client that leaves all that its provider says, and of a provider that leaves what it said', async () => {
    let end = (): void => undefined;
    await provider((response, body) => {
      begin(response);
      if (body.includes('break')) setImmediate(() => response.destroy());
      end = () => {
        response.end('data: {"type":"message_delta","usage":{"output_tokens":4000}}\n\n');
      };
    });
    await leave('begun');
    end();
    const left = await told(({ use }) => use.requests === 1);
    assert.deepEqual([left.use.inputTokens, left.use.outputTokens, left.trouble], [7, 4000, null]);
    await assert.rejects(post({ ...REQUEST, system: 'break' }));
    const broken = await told(({ use }) => use.failed === 1);
    assert.deepEqual(broken.trouble, { kind: 'overloaded', status: 0 });
    assert.deepEqual([broken.use.inputTokens, broken.use.outputTokens], [14, 4100]);
  });

  it('counts an answer whose client left before it began, in one piece too', async () => {
    const answers: (() => void)[] = [];
    await provider((response) => {
      answers.push(() => {
        json(200)(response);
      });
    });
    await leave('asked');
    for (const answer of answers) answer();
    const { use, trouble } = await told(({ use: used }) => used.requests === 1);
    assert.deepEqual([use.inputTokens, use.outputTokens, trouble], [10, 20, null]);
    const [line] = await egress().lines(1);
    assert.deepEqual([line?.['status'], line?.['outputTokens']], [200, 20]);
  });

  it('keeps the place of an answer that was left until it has ended', async () => {
    const answers: (() => void)[] = [];
    await provider((response) => {
      answers.push(() => {
        json(200)(response);
      });
    });
    for (let answer = 0; answer < 16; answer += 1) await leave('asked');
    assert.equal((await post()).status, 429);
    for (const answer of answers) answer();
    const { use } = await told(({ use: used }) => used.requests === 16);
    assert.equal(use.outputTokens, 16 * 20);
    const asking = post();
    await until('the provider at work', () => answers[16]);
    answers[16]?.();
    assert.equal((await asking).status, 200);
  });

  it('counts what is under way when the sidecar stops by what is known, and it is no trouble', async () => {
    await provider(begin);
    await leave('begun');
    const { model: used } = await reported();
    assert.deepEqual([used?.use.inputTokens, used?.use.outputTokens, used?.trouble], [7, 100, null]);
  });

  it('says so when the provider cannot be reached, at no cost', async () => {
    await provider();
    await stopUpstreams();
    assert.equal((await post()).status, 502);
    const trouble = { kind: 'overloaded', status: 0 };
    assert.deepEqual((await reported()).model, { use: { ...NO_USE, failed: 1 }, trouble });
  });

  it('is closed when the money is spent, at the operator’s prices', async () => {
    const prices = [['claude-*', { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 }]] as const;
    await provider(json(200), { start: { budget: { tokens: null, microUsd: 10_000 }, prices } });
    assert.equal((await post()).status, 200);
    assert.match((await post()).text, /budget of money is used up/);
    assert.equal((await reported()).model?.use.microUsd, 10_000);
  });

  it('gives each answer’s place to the next', async () => {
    await provider();
    for (let answer = 0; answer <= 16; answer += 1) assert.equal((await post()).status, 200);
  });

  it('reads no body of what is not posted', async () => {
    await provider();
    assert.equal((await get('/files/v1/models')).status, 200);
    const [{ body } = assert.fail()] = asked;
    assert.equal(body, '');
  });
});

function json(status: number, answer: unknown = { usage: USAGE }) {
  return (response: http.ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  };
}
