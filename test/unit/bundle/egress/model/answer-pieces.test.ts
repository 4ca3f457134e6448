import assert from 'node:assert/strict';
import { AnthropicAnswer } from '../../../../../src/bundle/egress/model/anthropic-answer.js';
import { tokens } from '../../../../../src/bundle/egress/model/answer-reader.js';
import { ChatAnswer, ResponsesAnswer } from '../../../../../src/bundle/egress/model/openai-answer.js';

const now = (): number => 1_800_000_000_000;

describe('the pieces of an answer that may be cut off', () => {
  it('of Anthropic are texts, thoughts and what tools are given, in bytes', () => {
    const answer = new AnthropicAnswer();
    for (const delta of [{ text: 'é' }, { partial_json: '{"a"' }, { thinking: 'abc' }, { text: 5 }, {}])
      answer.event({ type: 'content_block_delta', delta });
    answer.event({ type: 'ping' });
    assert.deepEqual(answer.pieces, { count: 5, bytes: 9 });
  });

  it('of a chat are texts, thoughts and what tools are given, of every choice', () => {
    const answer = new ChatAnswer(now);
    const delta = (one: unknown): object => ({ choices: [{ delta: one }] });
    for (const event of [
      delta({ content: 'é' }),
      delta({ reasoning_content: 'abc' }),
      delta({ reasoning: 'ab' }),
      delta({ tool_calls: [{ function: { arguments: '{"a"' } }, { function: { arguments: '}' } }] }),
      delta({ tool_calls: 'none' }),
      { choices: [{ delta: { content: 'x' } }, { delta: { content: 'y' } }] },
      { choices: 'none' },
      {},
    ])
      answer.event(event as Readonly<Record<string, unknown>>);
    assert.deepEqual(answer.pieces, { count: 7, bytes: 14 });
    assert.deepEqual([answer.use, answer.isFinal], [null, false]);
  });

  it('of a response are all that come as deltas of text', () => {
    const answer = new ResponsesAnswer(now);
    for (const event of [
      { type: 'response.output_text.delta', delta: 'é' },
      { type: 'response.function_call_arguments.delta', delta: '{"a"' },
      { type: 'response.created', response: {} },
    ])
      answer.event(event);
    assert.deepEqual(answer.pieces, { count: 2, bytes: 6 });
  });
});

describe('what an answer says that it used', () => {
  it('is final in a chat as soon as it is said, with what was read from caches apart', () => {
    const answer = new ChatAnswer(now);
    const details = { cached_tokens: 30, cache_write_tokens: 20 };
    answer.event({ usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: details } });
    assert.equal(answer.isFinal, true);
    const said = {
      inputTokens: 50,
      cacheReadTokens: 30,
      cacheWriteTokens: 20,
      hourWriteTokens: 0,
      outputTokens: 7,
    };
    assert.deepEqual(answer.use, said);
    answer.event({ choices: [] });
    assert.deepEqual(answer.use, said, 'what comes later takes nothing back');
  });

  it('is never more from caches than there was in all', () => {
    const answer = new ChatAnswer(now);
    const details = { cached_tokens: 80, cache_write_tokens: 80 };
    answer.event({ usage: { prompt_tokens: 100, prompt_tokens_details: details } });
    assert.deepEqual(
      [answer.use?.inputTokens, answer.use?.cacheReadTokens, answer.use?.cacheWriteTokens],
      [0, 80, 20],
    );
    const only = new ChatAnswer(now);
    only.event({ usage: { completion_tokens: 7 } });
    assert.deepEqual([only.use?.inputTokens, only.use?.outputTokens], [0, 7]);
  });

  it('is final with Anthropic when the output is said at the end, and not before', () => {
    const answer = new AnthropicAnswer();
    answer.event({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } });
    assert.equal(answer.isFinal, false);
    answer.event({ type: 'message_delta', usage: {} });
    assert.equal(answer.isFinal, false);
    answer.event({ type: 'message_delta', usage: { output_tokens: 9 } });
    assert.deepEqual([answer.isFinal, answer.use?.inputTokens, answer.use?.outputTokens], [true, 5, 9]);
    const whole = new AnthropicAnswer();
    whole.whole({ usage: { input_tokens: 5 } });
    assert.equal(whole.isFinal, false);
  });

  const troubles: [type: unknown, trouble: object][] = [
    ['rate_limit_error', { kind: 'overloaded', status: 429 }],
    ['overloaded_error', { kind: 'overloaded', status: 529 }],
    ['api_error', { kind: 'overloaded', status: 500 }],
    ['invalid_request_error', { kind: 'refused', status: 400 }],
    ['billing_error', { kind: 'refused', status: 402 }],
    ['another_error', { kind: 'overloaded', status: 500 }],
    [5, { kind: 'overloaded', status: 500 }],
  ];
  for (const [type, trouble] of troubles)
    it(`is followed by trouble of the kind that ${String(type)} is`, () => {
      const answer = new AnthropicAnswer();
      answer.event({ type: 'error', error: { type } });
      assert.deepEqual(answer.trouble, trouble);
    });

  it('is a whole number that any answer may have, and nothing where it is none', () => {
    for (const [value, count] of [
      [5, 5],
      [1.2, 2],
      [0, 0],
      [-5, 0],
      [1e12, 100_000_000],
      [Number.NaN, 0],
      [Infinity, 0],
      ['5', 0],
      [null, 0],
      [undefined, 0],
    ] as const)
      assert.equal(tokens(value), count, String(value));
  });
});
