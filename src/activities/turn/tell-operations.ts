import type { OperationLine } from '../../domain/run/queue.js';
import type { Tracing } from '../../domain/base/tracing.js';

/** A method of the sidecar, and what a forge numbers: what a sidecar that was taken over writes instead is not told. */
const OPERATION = /^[a-z_]{1,40}$/;
const TARGET = /^(?:PR )?#\d{1,16}$/;

/**
 * What the sidecar did, as parts of the activity that is under way: it has no way to the collector itself. Times are by its
 * word, but nothing has ended that is still to come.
 */
export function tellOperations(
  tracing: Tracing,
  { slug, turn }: { readonly slug: string; readonly turn: number },
  lines: readonly OperationLine[],
  now: number,
): void {
  for (const { operation, target, outcome, at, ms = 0 } of lines) {
    const to = Math.min(at, now);
    const attributes = {
      'bot_bottle.slug': slug,
      'bot_bottle.turn': turn,
      'bot_bottle.outcome': outcome,
      ...(TARGET.test(target) ? { 'bot_bottle.target': target } : {}),
    };
    const name = OPERATION.test(operation) ? operation : 'unknown';
    tracing.tell(`sidecar:${name}`, attributes, { from: Math.max(0, to - ms), to });
  }
}
