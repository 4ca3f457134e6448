/** A request's body as a value that is safe to walk through. */
import { isRecord } from '../../../domain/base/is-record.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Of what a provider said, which nobody walks through; `undefined` for what is no object. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export type ReadJson =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'refused'; readonly why: string };

/** Deeper than any tool's schema. */
const MAX_DEPTH = 100;
/** Values of a long conversation are some ten thousand; each takes more memory than it has bytes. */
const MAX_VALUES = 500_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts depth and values before anything is made of them: what walks through it and writes it again descends by recursion. */
export function readJson(bytes: Uint8Array): ReadJson {
  const wrong = whyTooMuch(bytes);
  if (wrong !== undefined) return { kind: 'refused', why: wrong };
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(value)
      ? { kind: 'object', value }
      : { kind: 'refused', why: 'the body is no JSON object' };
  } catch {
    return { kind: 'refused', why: 'the body is not JSON' };
  }
}

function whyTooMuch(bytes: Uint8Array): string | undefined {
  let depth = 0;
  let values = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inText = false;
      continue;
    }
    if (byte === QUOTE) inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      depth += 1;
      values += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (depth > MAX_DEPTH) return `the body is nested more than ${String(MAX_DEPTH)} deep`;
    if (values > MAX_VALUES) return `the body has more than ${String(MAX_VALUES)} values`;
  }
  return undefined;
}
