import { isRecord } from '../../../domain/base/is-record.js';
import type { JsonObject } from './json-body.js';

/**
 * Every object in a value, itself first, in the order of the text; not what is opaque, nor anything below it. Each value
 * is looked at once, however deep it lies.
 * @param isOpaque whether what an object has under a key is
 */
export function* objectsWithin(
  value: unknown,
  isOpaque: (object: JsonObject, key: string) => boolean,
): Generator<JsonObject> {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) pushAll(open, next);
    else if (isRecord(next)) {
      yield next;
      const inner = Object.entries(next).filter(([key]) => !isOpaque(next, key));
      pushAll(
        open,
        inner.map((entry) => entry[1]),
      );
    }
  }
}

/** The last one first: it is taken from the end. */
function pushAll(open: unknown[], values: readonly unknown[]): void {
  for (let at = values.length - 1; at >= 0; at -= 1) open.push(values[at]);
}
