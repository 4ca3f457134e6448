/** Answers of Anthropic's Messages API ("Streaming messages", "Errors"). */
import { isRecord } from '../../../domain/base/is-record.js';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import { NO_TOKENS, objectIn, textBytes, tokens, type AnswerReader } from './answer-reader.js';
import type { JsonObject } from './json-body.js';

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

export class AnthropicAnswer implements AnswerReader {
  use: AnswerUse | null = null;
  isFinal = false;
  trouble: ModelTrouble | null = null;
  pieces = { count: 0, bytes: 0 };

  event(data: JsonObject): void {
    switch (data['type']) {
      case 'message_start':
        this.#take(objectIn(objectIn(data, 'message'), 'usage'));
        break;
      case 'content_block_delta': {
        const delta = objectIn(data, 'delta');
        const bytes = textBytes(delta['text'], delta['partial_json'], delta['thinking']);
        this.pieces = { count: this.pieces.count + 1, bytes: this.pieces.bytes + bytes };
        break;
      }
      case 'message_delta':
        this.#take(objectIn(data, 'usage'));
        // What follows has nothing more to say of it.
        this.isFinal = objectIn(data, 'usage')['output_tokens'] !== undefined;
        break;
      case 'error':
        this.trouble = troubleOf(objectIn(data, 'error')['type']);
        break;
      default:
    }
  }

  whole(body: JsonObject): void {
    this.#take(objectIn(body, 'usage'));
    this.isFinal = objectIn(body, 'usage')['output_tokens'] !== undefined;
  }

  /** Figures are cumulative, and later ones leave out what has not changed. */
  #take(usage: JsonObject): void {
    const iterations = Array.isArray(usage['iterations']) ? usage['iterations'].filter(isRecord) : [];
    // Of several passes the sum of the whole leaves some out, such as those of a compaction.
    const said = [useIn(usage), iterations.map(useIn).reduce(sum, NO_TOKENS)];
    this.use = said.reduce(greatest, this.use ?? NO_TOKENS);
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

function greatest(a: AnswerUse, b: AnswerUse): AnswerUse {
  return joined(a, b, Math.max);
}

function sum(a: AnswerUse, b: AnswerUse): AnswerUse {
  return joined(a, b, (one, other) => one + other);
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

function troubleOf(type: unknown): ModelTrouble {
  const status = (typeof type === 'string' ? STATUS[type] : undefined) ?? 500;
  return status === 429 || status >= 500 ? { kind: 'overloaded', status } : { kind: 'refused', status };
}
