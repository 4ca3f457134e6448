import { fieldsOf } from '../../../domain/base/is-record.js';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import type { JsonObject } from './json-body.js';

/** What one dialect's answers say of themselves. */
export abstract class AnswerReader {
  /** What is known of its tokens, as much as was said until now; `null` for nothing. */
  use: AnswerUse | null = null;
  /** All of it was said. */
  isFinal = false;
  /** What an answer that began well said went wrong. */
  trouble: ModelTrouble | null = null;
  /** Pieces of output that came, and their bytes. */
  readonly pieces = { count: 0, bytes: 0 };

  /** An event of a stream. @param data parsed */
  abstract event(data: JsonObject): void;

  /** An answer that is one JSON document. */
  abstract whole(body: JsonObject): void;

  /** @param texts what is none counts nothing */
  protected piece(...texts: readonly unknown[]): void {
    this.pieces.count += 1;
    for (const text of texts)
      if (typeof text === 'string') this.pieces.bytes += Buffer.byteLength(text, 'utf8');
  }
}

export const NO_TOKENS: AnswerUse = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  hourWriteTokens: 0,
  outputTokens: 0,
};

/** More than any answer has: what says more is taken for this much. */
const MAX_TOKENS = 100_000_000;

/** A count as providers write it; 0 for what is none. */
export function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.min(Math.ceil(value), MAX_TOKENS)
    : 0;
}

export function objectIn(value: unknown, key: string): JsonObject {
  return fieldsOf(fieldsOf(value)[key]);
}
