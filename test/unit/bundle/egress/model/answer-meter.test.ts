import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { NO_TOKENS } from '../../../../../src/bundle/egress/model/answer-reader.js';
import { AnswerMeter, type AnswerEnd } from '../../../../../src/bundle/egress/model/answer-meter.js';
import { ModelMeter } from '../../../../../src/bundle/egress/model/model-meter.js';
import type { ModelApi } from '../../../../../src/domain/egress/route.js';
import {
  NO_BUDGET,
  NO_USE,
  type ModelBudget,
  type ModelReport,
  type ModelUse,
} from '../../../../../src/domain/run/model-use.js';

const NOW = 1_800_000_000_000;
const MODELS = {
  'anthropic-messages': 'claude-opus-5',
  'openai-responses': 'gpt-5',
  'openai-chat': 'gpt-5',
} as const;

interface Answer {
  readonly api: ModelApi;
  readonly text: string;
  readonly status?: number;
  readonly headers?: IncomingHttpHeaders;
  readonly end?: AnswerEnd;
  readonly requestBytes?: number;
}

/** Fed in pieces that end at these places. */
function metered(answer: Answer, cuts: readonly number[] = [], budget: ModelBudget = NO_BUDGET): ModelReport {
  const { api, text, status = 200, end = 'whole', requestBytes = 4000 } = answer;
  const { headers = { 'content-type': 'text/event-stream; charset=utf-8' } } = answer;
  const meter = new ModelMeter({ budget, prices: [], onChange: () => undefined });
  const now = (): number => NOW;
  const one = new AnswerMeter({ api, models: [MODELS[api]], factor: 1, requestBytes, meter, now });
  one.begin(status, headers);
  const bytes = Buffer.from(text);
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (const [index, from] of places.slice(0, -1).entries())
    one.feed(bytes.subarray(from, places[index + 1]));
  one.end(end);
  // What comes later changes nothing.
  one.end('broken');
  assert.ok(meter.report !== null);
  return meter.report;
}

const stream = (events: readonly unknown[], named = false): string =>
  events
    .map((event) => {
      const { type } = event as { readonly type?: string };
      return `${named ? `event: ${String(type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');

const ANTHROPIC = [
  {
    type: 'message_start',
    message: {
      usage: {
        input_tokens: 100,
        cache_creation_input_tokens: 50,
        cache_read_input_tokens: 1000,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 },
        output_tokens: 1,
      },
    },
  },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße '.repeat(10) } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 70 } },
  { type: 'message_stop' },
];
const ANTHROPIC_USE: ModelUse = {
  ...NO_USE,
  ...{ requests: 1, inputTokens: 100, cacheReadTokens: 1000, cacheWriteTokens: 50, outputTokens: 70 },
  // 100 × 5 + 1000 × 0.5 + 10 × 6.25 + 40 × 10 + 70 × 25, rounded up
  microUsd: 3213,
};
const RESPONSES = [
  { type: 'response.created', response: { status: 'in_progress', usage: null } },
  { type: 'response.output_text.delta', delta: 'abcdef' },
  { type: 'response.output_text.delta', delta: 'ghi' },
  {
    type: 'response.completed',
    response: {
      status: 'completed',
      error: null,
      usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 800 }, output_tokens: 20 },
    },
  },
];
const RESPONSES_USE: ModelUse = {
  ...NO_USE,
  ...{ requests: 1, inputTokens: 200, cacheReadTokens: 800, outputTokens: 20, microUsd: 550 },
};
const CHAT = [
  { choices: [{ delta: { content: 'abc' } }], usage: null },
  { choices: [{ delta: { tool_calls: [{ function: { arguments: '{}' } }] } }] },
  {
    choices: [],
    usage: { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 800 }, completion_tokens: 20 },
  },
];
const STREAMS: readonly (readonly [ModelApi, string, ModelUse])[] = [
  ['anthropic-messages', stream(ANTHROPIC, true), ANTHROPIC_USE],
  ['openai-responses', stream(RESPONSES, true), RESPONSES_USE],
  ['openai-chat', `${stream(CHAT)}data: [DONE]\n\n`, RESPONSES_USE],
];

describe('what an answer of a model used', () => {
  for (const [api, text, use] of STREAMS) {
    it(`stands in a stream of ${api}, wherever its chunks end`, () => {
      assert.deepEqual(metered({ api, text }), { use, trouble: null });
      fc.assert(
        fc.property(
          fc.array(fc.nat({ max: Buffer.byteLength(text) }), { maxLength: 12, size: 'max' }),
          (cuts) => {
            assert.deepEqual(metered({ api, text }, cuts), { use, trouble: null });
          },
        ),
        { numRuns: 300 },
      );
      const every = Array.from({ length: Buffer.byteLength(text) }, (_, at) => at);
      assert.deepEqual(metered({ api, text }, every).use, use);
    });

    it(`stands there with carriage returns, comments and what is no JSON, too (${api})`, () => {
      const odd = `: hello\r\n\r\ndata: nonsense\n\ndata: [1]\n\ndata\n\nid: 7\n\n${text.replaceAll('\n', '\r\n')}`;
      assert.deepEqual(metered({ api, text: odd }), { use, trouble: null });
    });

    it(`is estimated where a client leaves in the middle of it (${api})`, () => {
      fc.assert(
        fc.property(fc.nat({ max: Buffer.byteLength(text) }), (length) => {
          const cut = Buffer.from(text).subarray(0, length).toString('latin1');
          const { use: counted, trouble } = metered({ api, text: cut, end: 'left' });
          assert.equal(trouble, null);
          assert.equal(counted.requests, 1);
          const input = counted.inputTokens + counted.cacheReadTokens + counted.cacheWriteTokens;
          assert.ok(input === 1000 || input === 1150, String(input));
          assert.ok(counted.outputTokens <= 70);
        }),
      );
    });
  }

  it('of a cut stream is what was said, and at least the bytes of what came', () => {
    const [start, , text] = ANTHROPIC;
    const cut = stream([start, text, text]);
    const { use } = metered({ api: 'anthropic-messages', text: cut, end: 'left' });
    assert.deepEqual([use.inputTokens, use.cacheReadTokens, use.cacheWriteTokens], [100, 1000, 50]);
    assert.equal(use.outputTokens, Math.ceil((2 * Buffer.byteLength('Grüße '.repeat(10))) / 3));
    // Of OpenAI's nothing is said before the end, so that the request is estimated, too.
    const gpt = metered({ api: 'openai-responses', text: stream(RESPONSES.slice(0, 3)), end: 'left' });
    assert.deepEqual(gpt.use, { ...NO_USE, requests: 1, inputTokens: 1000, outputTokens: 3, microUsd: 1280 });
  });

  it('is that of the dearest of the models that may have written it', () => {
    const use = { ...NO_TOKENS, inputTokens: 1_000_000 };
    const price = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });
    const prices = [
      ['cheap', price(1)],
      ['dear', price(7)],
    ] as const;
    const meter = new ModelMeter({ budget: NO_BUDGET, prices, onChange: () => undefined });
    const answer = { api: 'anthropic-messages', factor: 1, use, trouble: null } as const;
    assert.equal(meter.add({ ...answer, models: ['cheap', 'dear', 'cheap'] }), 7_000_000);
    assert.equal(meter.add({ ...answer, models: ['cheap'] }), 1_000_000);
  });

  it('of a client that leaves before there is an answer is its request', () => {
    const meter = new ModelMeter({ budget: NO_BUDGET, prices: [], onChange: () => undefined });
    const one = new AnswerMeter({
      ...{ api: 'openai-responses', models: ['gpt-5'], factor: 1, requestBytes: 400, meter, now: () => NOW },
    });
    one.end('left');
    assert.deepEqual(meter.report?.use, { ...NO_USE, requests: 1, inputTokens: 100, microUsd: 125 });
  });

  it('stands in an answer of one piece', () => {
    const headers = { 'content-type': 'application/json' };
    const usage = { input_tokens: 10, output_tokens: 3 };
    const text = JSON.stringify({ content: [{ type: 'text', text: '"usage":{"input_tokens":9}' }], usage });
    const { use } = metered({ api: 'anthropic-messages', text, headers });
    assert.deepEqual(use, { ...NO_USE, requests: 1, inputTokens: 10, outputTokens: 3, microUsd: 125 });
    const incomplete = JSON.stringify({ status: 'incomplete', usage });
    assert.equal(metered({ api: 'openai-responses', text: incomplete, headers }).use.outputTokens, 3);
    const cut = metered({ api: 'anthropic-messages', text: text.slice(0, 60), headers, end: 'left' });
    assert.deepEqual([cut.use.inputTokens, cut.use.outputTokens], [1000, 20]);
  });

  it('is that of all passes of it', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 500, output_tokens: 60 },
      { type: 'message', input_tokens: 100, output_tokens: 70 },
    ];
    const events = [
      ...ANTHROPIC.slice(0, 4),
      { type: 'message_delta', usage: { output_tokens: 70, iterations } },
    ];
    const { use } = metered({ api: 'anthropic-messages', text: stream(events) });
    assert.deepEqual([use.inputTokens, use.outputTokens, use.cacheReadTokens], [600, 130, 1000]);
  });

  it('is a number, whatever the provider says', () => {
    const odd = fc.oneof(fc.double(), fc.constantFrom(-1, 1e300, null, '7', {}, [], true));
    fc.assert(
      fc.property(odd, odd, odd, fc.constantFrom(...STREAMS), (input, cached, output, [api]) => {
        const [tokens, details] = [
          { input_tokens: input, prompt_tokens: input, output_tokens: output, completion_tokens: output },
          { cached_tokens: cached },
        ];
        const usage = { ...tokens, input_tokens_details: details, cache_read_input_tokens: cached };
        const text = JSON.stringify({ usage });
        const { use } = metered({ api, text, headers: { 'content-type': 'application/json' } });
        for (const figure of Object.values(use))
          assert.ok(Number.isSafeInteger(figure) && figure >= 0, String(figure));
      }),
    );
  });

  it('is estimated where figures say nothing of a good answer', () => {
    const zero = { input_tokens: 0, output_tokens: 0 };
    for (const said of [undefined, zero, { input_tokens: -5, output_tokens: -5 }]) {
      const [start, , text] = ANTHROPIC;
      const events = [
        { ...(start as object), message: { usage: said } },
        text,
        { type: 'message_delta', usage: said },
        { type: 'message_stop' },
      ];
      const { use } = metered({ api: 'anthropic-messages', text: stream(events) });
      const written = Math.ceil(Buffer.byteLength('Grüße '.repeat(10)) / 3);
      assert.deepEqual([use.inputTokens, use.outputTokens], [1000, written], JSON.stringify(said));
    }
    const failed = { type: 'response.failed', response: { error: { code: 'server_error' }, usage: zero } };
    assert.equal(metered({ api: 'openai-responses', text: stream([failed]) }).use.inputTokens, 0);
  });

  it('of an event too large to keep is estimated', () => {
    const huge = {
      type: 'response.completed',
      response: { usage: { input_tokens: 5 }, x: 'x'.repeat(5_000_000) },
    };
    const text = stream([
      ...RESPONSES.slice(0, 3),
      huge,
      { type: 'response.output_text.delta', delta: 'abc' },
    ]);
    const { use } = metered({ api: 'openai-responses', text }, [1_000_000, 3_000_000]);
    assert.deepEqual([use.inputTokens, use.outputTokens], [1000, 4]);
  });
});

describe('what is wrong with a model', () => {
  const failed = (api: ModelApi, status: number, headers: IncomingHttpHeaders, body: unknown = {}): unknown =>
    metered({
      api,
      status,
      headers: { 'content-type': 'application/json', ...headers },
      text: JSON.stringify(body),
    });
  const hour = 3_600_000;
  // What else says so, and how: see waiting-time.test.ts.
  for (const [what, api, status, headers, body, trouble] of [
    [
      'a window of a subscription',
      'anthropic-messages',
      429,
      { 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 3600) },
      {},
      { kind: 'limited', until: NOW + hour },
    ],
    [
      'usage_limit_reached',
      'openai-responses',
      429,
      {},
      { error: { type: 'usage_limit_reached', resets_at: NOW / 1000 + 3600 } },
      { kind: 'limited', until: NOW + hour },
    ],
    ['a fault', 'openai-chat', 500, {}, 'no object', { kind: 'overloaded', status: 500 }],
    ['a key that it does not take', 'anthropic-messages', 401, {}, {}, { kind: 'refused', status: 401 }],
    ['a redirect', 'anthropic-messages', 302, {}, {}, { kind: 'refused', status: 302 }],
  ] as const)
    it(`is what its answer says, which costs nothing: ${what}`, () => {
      assert.deepEqual(failed(api, status, headers, body), { use: { ...NO_USE, failed: 1 }, trouble });
    });

  const within: readonly (readonly [string, ModelApi, unknown, unknown])[] = [
    [
      'overloaded_error',
      'anthropic-messages',
      { type: 'error', error: { type: 'overloaded_error' } },
      { kind: 'overloaded', status: 529 },
    ],
    [
      'server_error',
      'openai-responses',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } },
      { kind: 'overloaded', status: 500 },
    ],
    [
      'rate_limit_exceeded',
      'openai-responses',
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } },
      { kind: 'overloaded', status: 429 },
    ],
    [
      'usage_limit_reached',
      'openai-responses',
      { type: 'error', error: { type: 'usage_limit_reached', resets_in_seconds: 7200 } },
      { kind: 'limited', until: NOW + 2 * hour },
    ],
    [
      'a failure without a reason',
      'openai-responses',
      { type: 'response.failed', response: { status: 'failed' } },
      { kind: 'overloaded', status: 500 },
    ],
    [
      'too long a conversation',
      'openai-responses',
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded' } } },
      { kind: 'refused', status: 400 },
    ],
    [
      'an error of a chat',
      'openai-chat',
      { error: { code: 'server_error' } },
      { kind: 'overloaded', status: 500 },
    ],
  ];
  for (const [what, api, event, trouble] of within)
    it(`is said within a stream that began well: ${what}`, () => {
      const report = metered({ api, text: stream([event]) });
      assert.deepEqual([report.trouble, report.use.failed, report.use.requests], [trouble, 1, 0]);
    });

  it('is a stream that the provider cuts, or ends without its last word', () => {
    for (const [api, text] of STREAMS.slice(0, 2))
      for (const end of ['broken', 'whole'] as const) {
        const { trouble, use } = metered({ api, text: text.slice(0, text.length * 0.5), end });
        assert.deepEqual([trouble, use.failed], [{ kind: 'overloaded', status: 0 }, 1]);
        assert.ok(use.outputTokens > 0);
      }
  });

  it('is a page in place of an answer, which costs nothing', () => {
    const text = '<html>Please log in.</html>';
    const page = metered({ api: 'openai-responses', text, headers: { 'content-type': 'text/html' } });
    assert.deepEqual(page, { use: { ...NO_USE, failed: 1 }, trouble: { kind: 'overloaded', status: 0 } });
  });

  it('is one that was silent for minutes when its client left it; one that was not changes nothing', () => {
    let now = NOW;
    const meter = new ModelMeter({ budget: NO_BUDGET, prices: [], onChange: () => undefined });
    const leave = (afterMs: number): void => {
      const one = new AnswerMeter({
        ...{ api: 'openai-responses', models: ['gpt-5'], factor: 1, requestBytes: 1, meter, now: () => now },
      });
      one.begin(200, { 'content-type': 'text/event-stream' });
      now += 240_000;
      one.feed(Buffer.from(stream(RESPONSES.slice(0, 2))));
      now += afterMs;
      one.end('left');
    };
    leave(239_999);
    assert.equal(meter.report?.trouble, null);
    leave(240_000);
    assert.deepEqual(meter.report.trouble, { kind: 'overloaded', status: 0 });
    leave(0);
    assert.deepEqual(meter.report.trouble, { kind: 'overloaded', status: 0 });
    assert.deepEqual([meter.report.use.requests, meter.report.use.failed], [2, 1]);
  });

  it('is over with the next good answer', () => {
    const meter = new ModelMeter({ budget: NO_BUDGET, prices: [], onChange: () => undefined });
    const ask = (status: number): void => {
      const one = new AnswerMeter({
        ...{ api: 'openai-chat', models: ['gpt-5'], factor: 1, requestBytes: 1, meter, now: () => NOW },
      });
      one.begin(status, {});
      one.end('whole');
    };
    ask(503);
    assert.deepEqual(meter.report?.trouble, { kind: 'overloaded', status: 503 });
    ask(200);
    assert.equal(meter.report.trouble, null);
    assert.deepEqual([meter.report.use.requests, meter.report.use.failed], [1, 1]);
  });

  it('is a budget that is used up, which nothing ends', () => {
    let changes = 0;
    const budget = { tokens: null, microUsd: 100 };
    const meter = new ModelMeter({ budget, prices: [], onChange: () => (changes += 1) });
    const report = (): ModelReport | null => meter.report;
    assert.equal(meter.spent(), undefined);
    assert.equal(report(), null);
    const answer = { api: 'openai-chat', models: ['gpt-5'], factor: 1, trouble: null } as const;
    const use = {
      inputTokens: 79,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      hourWriteTokens: 0,
      outputTokens: 0,
    };
    meter.add({ ...answer, use });
    assert.equal(meter.spent(), undefined);
    meter.add({ ...answer, use: { ...use, inputTokens: 1 } });
    assert.equal(meter.spent(), 'money');
    assert.equal(meter.spent(), 'money');
    meter.add({ ...answer, use });
    assert.deepEqual(report()?.trouble, { kind: 'over_budget', what: 'money' });
    assert.equal(changes, 4);
  });
});
