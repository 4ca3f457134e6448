import assert from 'node:assert/strict';
import { createMetrics } from '../../../../src/webhook/door/metrics.js';

describe('the webhook’s metrics', () => {
  const metricsOf = (oldestOpenAt: number | null, now = 12_500): ReturnType<typeof createMetrics> =>
    createMetrics({ stats: () => ({ open: 3, oldestOpenAt, total: 9 }) }, () => now);

  it('are counted by outcome, and timed in seconds', async () => {
    const metrics = metricsOf(10_000);
    metrics.deliveries.inc({ outcome: 'accepted' });
    metrics.deliveries.inc({ outcome: 'accepted' });
    metrics.deliveries.inc({ outcome: 'unsigned' });
    metrics.dispatches.inc({ outcome: 'signalled' });
    metrics.acceptSeconds.observe(0.002);
    metrics.dispatchSeconds.observe(4);
    const lines = (await metrics.registry.metrics()).split('\n');
    for (const line of [
      'bot_bottle_webhook_deliveries_total{outcome="accepted"} 2',
      'bot_bottle_webhook_deliveries_total{outcome="unsigned"} 1',
      'bot_bottle_dispatch_total{outcome="signalled"} 1',
      'bot_bottle_webhook_accept_seconds_bucket{le="0.001"} 0',
      'bot_bottle_webhook_accept_seconds_bucket{le="0.0025"} 1',
      'bot_bottle_webhook_accept_seconds_bucket{le="1"} 1',
      'bot_bottle_dispatch_seconds_bucket{le="1"} 0',
      'bot_bottle_dispatch_seconds_bucket{le="5"} 1',
      'bot_bottle_dispatch_seconds_sum 4',
      'bot_bottle_inbox_open 3',
      'bot_bottle_inbox_oldest_seconds 2.5',
    ])
      assert.ok(lines.includes(line), line);
  });

  it('are explained, each', async () => {
    const text = await metricsOf(null).registry.metrics();
    const named = (kind: string): string[] =>
      [...text.matchAll(new RegExp(`^# ${kind} (\\S+) \\S`, 'gm'))].map(([, name = '']) => name);
    assert.deepEqual(named('HELP'), named('TYPE'));
    assert.equal(named('HELP').length, 6);
  });

  it('have an age of nought where nothing waits, and where the clock was put back', async () => {
    for (const metrics of [metricsOf(null), metricsOf(20_000)])
      assert.match(await metrics.registry.metrics(), /^bot_bottle_inbox_oldest_seconds 0$/m);
  });

  it('are not shared between two processes’ worth of them', async () => {
    const [one, other] = [metricsOf(null), metricsOf(null)];
    one.deliveries.inc({ outcome: 'accepted' });
    assert.doesNotMatch(await other.registry.metrics(), /outcome="accepted"/);
    assert.match(other.registry.contentType, /^text\/plain/);
  });
});
