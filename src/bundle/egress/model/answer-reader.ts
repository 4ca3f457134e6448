import { isRecord } from '../../../domain/base/is-record.js';
import type { AnswerUse } from '../../../domain/egress/model-prices.js';
import type { ModelTrouble } from '../../../domain/run/model-use.js';
import type { JsonObject } from './json-body.js';

/** What one dialect's answers say of themselves. */
export interface AnswerReader {
  /** An event of a stream. @param data parsed */
  event(data: JsonObject): void;
  /** An answer that is one JSON document. */
  whole(body: JsonObject): void;
  /** What is known of its tokens, as much as was said until now; `null` for nothing. */
  readonly use: AnswerUse | null;
  /** All of it was said. */
  readonly isFinal: boolean;
  /** What an answer that began well said went wrong. */
  readonly trouble: ModelTrouble | null;
  /** Pieces of output that came, and their bytes. */
  readonly pieces: { readonly count: number; readonly bytes: number };
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
  const inner = isRecord(value) ? value[key] : undefined;
  return isRecord(inner) ? inner : {};
}

export function textBytes(...texts: readonly unknown[]): number {
  return texts.reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text, 'utf8') : 0),
    0,
  );
}
