import assert from 'node:assert/strict';
import type { Tracing } from '../../../../src/domain/base/tracing.js';
import type { Delivery } from '../../../../src/domain/forge/delivery.js';
import { allOf } from '../../../../src/webhook/dispatch/outcome.js';
import { traceAttempts } from '../../../../src/webhook/dispatch/trace-attempts.js';

describe('the trace of an attempt at deliveries', () => {
  it('has how many there are, which attempt it is, and the traces in which they came', async () => {
    const during: unknown[] = [];
    const tracing = {
      during: <T>(...[name, attributes, causes, work]: Parameters<Tracing['during']>): Promise<T> => {
        during.push([name, attributes, causes]);
        return work() as Promise<T>;
      },
    } as Tracing;
    const handle = traceAttempts(
      ({ deliveries }) => Promise.resolve(allOf(deliveries.length, 'own')),
      tracing,
    );
    const deliveries = [
      { attempts: 2, traceparent: 'first' },
      { attempts: 0, traceparent: null },
      { attempts: 0, traceparent: 'third' },
    ] as unknown as readonly Delivery[];
    assert.deepEqual(await handle({ kind: 'malformed', deliveries }), allOf(3, 'own'));
    await handle({ kind: 'malformed', deliveries: [] });
    assert.deepEqual(during, [
      ['dispatch', { 'bot_bottle.deliveries': 3, 'bot_bottle.attempt': 3 }, ['first', 'third']],
      ['dispatch', { 'bot_bottle.deliveries': 0, 'bot_bottle.attempt': 1 }, []],
    ]);
  });
});
