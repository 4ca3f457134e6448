/** Answers of Anthropic's Messages API ("Streaming messages", "Errors"). */
import { isRecord } from '../../../domain/base/is-record.js';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import { AnswerReader, NO_TOKENS, objectIn, tokens } from './answer-reader.js';
import type { JsonObject } from './json-body.js';
import { troubleByStatus } from './waiting-time.js';

/** Errors in a stream that has begun with 200: what their status would be. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export class AnthropicAnswer extends AnswerReader {
  event(data: JsonObject): void {
    switch (data['type']) {
      case 'message_start':
        this.#take(objectIn(objectIn(data, 'message'), 'usage'));
        break;
      case 'content_block_delta': {
        const { text, partial_json: json, thinking } = objectIn(data, 'delta');
        this.piece(text, json, thinking);
        break;
      }
      // What follows the last of these has nothing more to say of it.
      case 'message_delta':
        this.whole(data);
        break;
      case 'error': {
        const { type } = objectIn(data, 'error');
        this.trouble = troubleByStatus((typeof type === 'string' ? STATUS[type] : undefined) ?? 500);
        break;
      }
      default:
    }
  }

  whole(body: JsonObject): void {
    const usage = objectIn(body, 'usage');
    this.#take(usage);
    this.isFinal = usage['output_tokens'] !== undefined;
  }

  /** Figures are cumulative, and later ones leave out what has not changed. */
  #take(usage: JsonObject): void {
    const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isRecord) : [];
    // Of several passes the sum of the whole leaves some out, such as those of a compaction.
    const all = iterations.map(useIn).reduce((a, b) => joined(a, b, (one, other) => one + other), NO_TOKENS);
    this.use = [useIn(usage), all].reduce((a, b) => joined(a, b, Math.max), this.use ?? NO_TOKENS);
  }
}

function useIn(usage: JsonObject): AnswerUse {
  return {
    inputTokens: tokens(usage['input_tokens']),
    cacheReadTokens: tokens(usage['cache_read_input_tokens']),
    cacheWriteTokens: tokens(usage['cache_creation_input_tokens']),
    hourWriteTokens: tokens(objectIn(usage, 'cache_creation')['ephemeral_1h_input_tokens']),
    outputTokens: tokens(usage['output_tokens']),
  };
}

function joined(a: AnswerUse, b: AnswerUse, join: (one: number, other: number) => number): AnswerUse {
  return {
    inputTokens: join(a.inputTokens, b.inputTokens),
    cacheReadTokens: join(a.cacheReadTokens, b.cacheReadTokens),
    cacheWriteTokens: join(a.cacheWriteTokens, b.cacheWriteTokens),
    hourWriteTokens: join(a.hourWriteTokens, b.hourWriteTokens),
    outputTokens: join(a.outputTokens, b.outputTokens),
  };
}
