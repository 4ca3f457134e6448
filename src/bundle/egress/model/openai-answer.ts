/** Answers of OpenAI's Responses and Chat Completions APIs. */
import { isRecord } from '../../../domain/base/is-record.js';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import { AnswerReader, objectIn, tokens } from './answer-reader.js';
import type { JsonObject } from './json-body.js';
import { openaiTrouble } from './openai-trouble.js';

const ENDS: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed'];

export class ResponsesAnswer extends AnswerReader {
  constructor(private readonly now: () => number) {
    super();
  }

  event(data: JsonObject): void {
    const { type, delta } = data;
    if (ENDS.includes(type)) this.whole(objectIn(data, 'response'));
    else if (type === 'error') this.#fail(isRecord(data['error']) ? data['error'] : data);
    else if (typeof delta === 'string') this.piece(delta);
  }

  whole(body: JsonObject): void {
    this.use = useIn(objectIn(body, 'usage'), 'input_tokens', 'output_tokens') ?? this.use;
    this.isFinal = this.use !== null;
    if (isRecord(body['error'])) this.#fail(body['error']);
    else if (body['status'] === 'failed') this.#fail({});
  }

  #fail(error: JsonObject): void {
    this.trouble = openaiTrouble(error, null, this.now());
  }
}

export class ChatAnswer extends AnswerReader {
  constructor(private readonly now: () => number) {
    super();
  }

  event(data: JsonObject): void {
    this.whole(data);
    const choices = Array.isArray(data['choices']) ? data['choices'] : [];
    for (const choice of choices) {
      const { content, reasoning_content: thought, reasoning, tool_calls: calls } = objectIn(choice, 'delta');
      const given = Array.isArray(calls) ? calls.map((call) => objectIn(call, 'function')['arguments']) : [];
      this.piece(content, thought, reasoning, ...given);
    }
  }

  whole(body: JsonObject): void {
    this.use = useIn(objectIn(body, 'usage'), 'prompt_tokens', 'completion_tokens') ?? this.use;
    this.isFinal = this.use !== null;
    if (isRecord(body['error'])) this.trouble = openaiTrouble(body['error'], null, this.now());
  }
}

/** All input is in one figure, of which the others are parts. */
function useIn(usage: JsonObject, input: string, output: string): AnswerUse | null {
  if (usage[input] === undefined && usage[output] === undefined) return null;
  const details = objectIn(usage, `${input}_details`);
  const all = tokens(usage[input]);
  const cacheReadTokens = Math.min(all, tokens(details['cached_tokens']));
  const cacheWriteTokens = Math.min(all - cacheReadTokens, tokens(details['cache_write_tokens']));
  return {
    inputTokens: all - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    hourWriteTokens: 0,
    outputTokens: tokens(usage[output]),
  };
}
