import type { Tracing } from '../../domain/base/tracing.js';
import type { Handled } from './outcome.js';
import type { Segment } from './segment.js';

/** Each attempt at deliveries is a span in the trace of the first of them, also when it is made after a crash. */
export function traceAttempts(
  handle: (segment: Segment) => Promise<Handled>,
  tracing: Tracing,
): (segment: Segment) => Promise<Handled> {
  return (segment) => {
    const { deliveries } = segment;
    const attributes = {
      'bot_bottle.deliveries': deliveries.length,
      'bot_bottle.attempt': (deliveries[0]?.attempts ?? 0) + 1,
    } as const;
    const causes = deliveries.flatMap(({ traceparent }) => traceparent ?? []);
    return tracing.during('dispatch', attributes, causes, () => handle(segment));
  };
}
