import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  ModelPlane,
  type ModelPlaneOptions,
  type ModelRequest,
} from '../../../../../src/bundle/egress/model/model-plane.js';
import type { ModelRule } from '../../../../../src/domain/egress/route.js';
import { NO_BUDGET, NO_USE, type ModelReport } from '../../../../../src/domain/run/model-use.js';

const ANTHROPIC: ModelRule = {
  ...{ api: 'anthropic-messages', models: ['claude-*'], allow: [], maxOutputTokens: 500 },
};
const OPENAI: ModelRule = { ...ANTHROPIC, api: 'openai-responses', models: ['gpt-5'] };
const ASKED = { model: 'claude-opus-5', max_tokens: 1000, messages: [] };
const FINAL = [['x-should-retry', 'false']];

type Refused = Extract<ModelRequest, { kind: 'refused' }>;

describe('requests of routes to models', () => {
  let changes: number;
  beforeEach(() => (changes = 0));

  const planeOf = (options: Partial<ModelPlaneOptions> = {}): ModelPlane =>
    new ModelPlane({
      ...{ budget: NO_BUDGET, prices: [], maxBodyBytes: 1_000, now: () => 1_800_000_000_000 },
      onMoved: () => undefined,
      onChange: () => (changes += 1),
      ...options,
    });
  /** A request whose body may still be coming. */
  function open(headers: object = {}): { readonly request: IncomingMessage; readonly body: PassThrough } {
    const body = new PassThrough();
    return { request: Object.assign(body, { headers, complete: false }) as unknown as IncomingMessage, body };
  }
  function ask(
    plane: ModelPlane,
    body: unknown = ASKED,
    {
      rule = ANTHROPIC,
      path = '/v1/messages',
      headers = {},
    }: { rule?: ModelRule; path?: string; headers?: object } = {},
  ): Promise<ModelRequest> {
    const { request, body: stream } = open(headers);
    stream.end(Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body));
    return plane.read(request, rule, path);
  }
  async function refusal(...args: Parameters<typeof ask>): Promise<Refused> {
    const read = await ask(...args);
    return read.kind === 'refused' ? read : assert.fail(read.kind);
  }
  async function allowed(
    ...args: Parameters<typeof ask>
  ): Promise<Extract<ModelRequest, { kind: 'allowed' }>> {
    const read = await ask(...args);
    return read.kind === 'allowed' ? read : assert.fail(JSON.stringify(read));
  }
  async function sent({ body }: Extract<ModelRequest, { kind: 'allowed' }>): Promise<unknown> {
    const upstream = new PassThrough();
    body.endWith(upstream);
    return json(upstream);
  }

  it('are sent on as they were judged, with the output that they may have, and metered', async () => {
    const read = await allowed(planeOf());
    assert.deepEqual(await sent(read), { ...ASKED, max_tokens: 500 });
    assert.notEqual(read.meter, null);
  });

  it('only count, without costing anything and without keys of ours, where that is asked for', async () => {
    const read = await allowed(planeOf(), ASKED, { path: '/v1/messages/count_tokens' });
    assert.deepEqual([await sent(read), read.meter], [ASKED, null]);
    const other = { ...ASKED, model: 'gpt-5' };
    await refusal(planeOf(), other, { path: '/v1/messages/count_tokens' });
  });

  it('sum up a conversation at a cost, without keys of ours', async () => {
    const asked = { model: 'gpt-5', input: [] };
    const read = await allowed(planeOf(), asked, { rule: OPENAI, path: '/responses/compact' });
    assert.deepEqual(await sent(read), asked);
    assert.notEqual(read.meter, null);
  });

  const packed: [encoding: string, pack: (bytes: Buffer) => Buffer][] = [
    ['identity', (bytes) => bytes],
    ['', (bytes) => bytes],
    ['gzip', gzipSync],
    ['X-GZIP ', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ];
  for (const [encoding, pack] of packed)
    it(`are taken apart where they come as "${encoding}"`, async () => {
      const body = pack(Buffer.from(JSON.stringify(ASKED)));
      const read = await allowed(planeOf(), body, { headers: { 'content-encoding': encoding } });
      assert.deepEqual(await sent(read), { ...ASKED, max_tokens: 500 });
    });

  const long = JSON.stringify({ ...ASKED, more: 'x'.repeat(1_000) });
  const refusals: [what: string, body: unknown, encoding: string | undefined, status: number, why: RegExp][] =
    [
      ['a body that is too large', long, undefined, 413, /has at most 1000 bytes$/],
      ['one that is too large when unpacked', gzipSync(long), 'gzip', 413, /has at most 1000 bytes$/],
      ['one that is not packed as it says', '{}', 'gzip', 415, /^the body is not gzip$/],
      ['another encoding', '{}', 'zstd', 415, /may be gzip, deflate or br, or plain$/],
      ['two encodings', '{}', 'gzip, gzip', 415, /may be gzip, deflate or br, or plain$/],
      ['what is no JSON', '{', undefined, 400, /^the body is not JSON$/],
      ['what is no object', '[]', undefined, 400, /no JSON object$/],
      ['text that is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), undefined, 400, /not JSON$/],
      ['a body without a model', {}, undefined, 400, /has no "model"$/],
      [
        'a model that is not listed',
        { ...ASKED, model: 'gpt-5' },
        undefined,
        403,
        /"gpt-5" is not allowed here/,
      ],
      [
        'a body that is nested too deep',
        `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
        ...([undefined, 400, /nested more than 100 deep$/] as const),
      ],
    ];
  for (const [what, body, encoding, status, why] of refusals)
    it(`are refused for good with the reason, in the provider’s form: ${what}`, async () => {
      const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
      const read = await refusal(planeOf(), body, { headers });
      assert.equal(read.status, status);
      assert.match(read.why, why);
      assert.deepEqual(read.headers, FINAL);
      const { type, error } = read.body as { type: string; error: { type: string; message: string } };
      assert.deepEqual([type, error.message], ['error', `bot-bottle: ${read.why}`]);
    });

  it('are let through with as many bytes as they may have, packed or not', async () => {
    const padding = 1_000 - JSON.stringify({ ...ASKED, more: '' }).length;
    const body = JSON.stringify({ ...ASKED, more: 'x'.repeat(padding) });
    assert.equal(body.length, 1_000);
    await allowed(planeOf(), body);
    await allowed(planeOf(), gzipSync(body), { headers: { 'content-encoding': 'gzip' } });
    await refusal(planeOf(), `${body} `);
  });

  it('are let through as deep as any tool is, whatever stands in their texts', async () => {
    await allowed(planeOf(), { ...ASKED, system: `${'['.repeat(300)}"\\` });
    const deep = `{"model":"claude-x","a":${'['.repeat(99)}${']'.repeat(99)},"b":${'['.repeat(99)}${']'.repeat(99)}}`;
    await allowed(planeOf(), deep);
  });

  it('are refused beyond half a million values, however small', async () => {
    const body = (count: number): string =>
      `{"model":"claude-x","a":[${Array<number>(count).fill(1).join()}]}`;
    const plane = planeOf({ maxBodyBytes: 4_000_000 });
    assert.match((await refusal(plane, body(500_001))).why, /more than 500000 values$/);
    await allowed(plane, body(499_990));
  });

  it('are refused where nobody here can judge the call', async () => {
    for (const path of ['/v1/messages/batches', '/v1/messages/', '/v1/responses', '/v1/x%2fmessages']) {
      const read = await refusal(planeOf(), ASKED, { path });
      assert.equal(read.status, 403);
      assert.match(read.why, /no call of anthropic-messages that can be read/);
      assert.deepEqual(read.headers, FINAL);
    }
  });

  it('are refused in OpenAI’s form with what it was', async () => {
    const read = await refusal(planeOf(), '{', { rule: OPENAI, path: '/responses' });
    const message = 'bot-bottle: the body is not JSON';
    assert.deepEqual(read.body, {
      error: { message, type: 'invalid_request_error', param: null, code: 'not_allowed' },
    });
  });

  it('are as many at a time as there may be, and then told to wait', async () => {
    const plane = planeOf();
    const all = await Promise.all(Array.from({ length: 16 }, () => allowed(plane)));
    const read = await refusal(plane);
    assert.deepEqual([read.status, read.headers], [429, [['retry-after', '2']]]);
    assert.match(read.why, /^at most 16 requests at a time$/);
    for (const end of [all[0]?.end, all[0]?.end]) end?.();
    await allowed(plane);
    await refusal(plane, ASKED);
  });

  it('that are refused take nobody’s place', async () => {
    const plane = planeOf();
    for (let count = 0; count < 20; count += 1) await refusal(plane, '{');
    await allowed(plane);
  });

  it('have room for so many bytes at a time, and give it back', async () => {
    const MIB = 1024 * 1024;
    const plane = planeOf({ maxBodyBytes: 16 * MIB });
    const waiting = [open(), open()];
    const reads = waiting.map(({ request }) => plane.read(request, ANTHROPIC, '/v1/messages'));
    for (const { body } of waiting) body.write(Buffer.alloc(15 * MIB, 'x'));
    const third = { ...ASKED, more: 'x'.repeat(3 * MIB) };
    const read = await refusal(plane, third);
    assert.deepEqual([read.status, read.headers], [503, [['retry-after', '2']]]);
    for (const { body } of waiting) body.destroy();
    await Promise.all(reads);
    await allowed(plane, third);
  });

  describe('that are large', () => {
    const MIB = 1024 * 1024;
    const gzip = { headers: { 'content-encoding': 'gzip' } };
    const third = { ...ASKED, more: 'x'.repeat(3 * MIB) };
    const packed = gzipSync(JSON.stringify({ ...ASKED, more: 'x'.repeat(15 * MIB) }));
    let plane: ModelPlane;
    beforeEach(() => (plane = planeOf({ maxBodyBytes: 16 * MIB })));
    const outcome = (read: ModelRequest): unknown => (read.kind === 'refused' ? read.status : read.kind);

    it('are counted as they are unpacked, however small they came', async () => {
      const reads = await Promise.all(Array.from({ length: 6 }, () => ask(plane, packed, gzip)));
      const outcomes = reads.map(outcome);
      assert.ok(outcomes.includes(503), JSON.stringify(outcomes));
      assert.ok(outcomes.filter((one) => one === 'allowed').length <= 2, JSON.stringify(outcomes));
    });

    it('keep their room until they have been sent, and not for as long as the answer takes', async () => {
      const [first] = [await allowed(plane, packed, gzip), await allowed(plane, packed, gzip)];
      assert.equal((await refusal(plane, third)).status, 503);
      await sent(first);
      await allowed(plane, third);
    });

    it('give it back when they end unsent', async () => {
      const [first] = [await allowed(plane, packed, gzip), await allowed(plane, packed, gzip)];
      first.end();
      await allowed(plane, third);
    });

    it('are counted as they are sent, where that is longer', async () => {
      const body = `{"model":"claude-x","a":[${Array<string>(490_000).fill('1e20').join()}]}`;
      for (let count = 0; count < 3; count += 1) await allowed(plane, body);
      assert.equal((await refusal(plane, body)).status, 503);
    });
  });

  it('are gone with their client', async () => {
    const { request, body } = open();
    const read = planeOf().read(request, ANTHROPIC, '/v1/messages');
    body.write('{');
    body.destroy();
    assert.deepEqual(await read, { kind: 'gone' });
  });

  it('are refused before their end when they are too large', async () => {
    const { request, body } = open();
    const read = planeOf().read(request, ANTHROPIC, '/v1/messages');
    body.write('x'.repeat(1_001));
    assert.equal(((await read) as Refused).status, 413);
  });

  describe('and their budget', () => {
    const reportOf = (plane: ModelPlane): ModelReport | null => plane.report;
    const use = async (plane: ModelPlane): Promise<void> => {
      const { meter, end } = await allowed(plane);
      meter?.begin(200, { 'content-type': 'application/json' });
      meter?.feed(Buffer.from('{"usage":{"input_tokens":10,"output_tokens":20}}'));
      meter?.end('whole');
      end();
    };

    it('are told of as soon as something was used', async () => {
      const plane = planeOf();
      assert.equal(reportOf(plane), null);
      await use(plane);
      assert.deepEqual(reportOf(plane)?.use, {
        ...NO_USE,
        requests: 1,
        inputTokens: 10,
        outputTokens: 20,
        microUsd: reportOf(plane)?.use.microUsd,
      });
      assert.ok(changes > 0);
    });

    it('are refused for good once it is used up, whatever they ask', async () => {
      const plane = planeOf({ budget: { tokens: 30, microUsd: null } });
      await use(plane);
      for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
        const read = await refusal(plane, ASKED, { path });
        assert.deepEqual([read.status, read.headers], [400, FINAL]);
        assert.match(read.why, /budget of tokens is used up: an operator can raise it/);
      }
      assert.deepEqual(plane.report?.trouble, { kind: 'over_budget', what: 'tokens' });
    });

    it('are let through while a token of it is left', async () => {
      const plane = planeOf({ budget: { tokens: 31, microUsd: null } });
      await use(plane);
      await use(plane);
      await refusal(plane);
    });
  });
});
