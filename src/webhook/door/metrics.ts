import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Inbox } from '../../domain/forge/delivery.js';

export type WebhookMetrics = ReturnType<typeof createMetrics>;

/**
 * What the webhook process counts, in a registry of its own. Labels are outcomes only: a sender cannot grow them.
 * @param inbox its depth and age are read when the metrics are
 */
export function createMetrics(inbox: Pick<Inbox, 'stats'>, now: () => number) {
  const registry = new Registry();
  const registers = [registry];
  const deliveries = new Counter({
    name: 'bot_bottle_webhook_deliveries_total',
    help: 'Webhook requests by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const dispatches = new Counter({
    name: 'bot_bottle_dispatch_total',
    help: 'Dispatch attempts of accepted deliveries by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const acceptSeconds = new Histogram({
    name: 'bot_bottle_webhook_accept_seconds',
    help: 'Time from request to durable answer of accepted deliveries',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const dispatchSeconds = new Histogram({
    name: 'bot_bottle_dispatch_seconds',
    help: 'Time from acceptance of a delivery to the end of its dispatch',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600],
    registers,
  });
  new Gauge({
    name: 'bot_bottle_inbox_open',
    help: 'Deliveries waiting for dispatch',
    registers,
    collect() {
      this.set(inbox.stats().open);
    },
  });
  new Gauge({
    name: 'bot_bottle_inbox_oldest_seconds',
    help: 'Age of the oldest waiting delivery',
    registers,
    collect() {
      const { oldestOpenAt } = inbox.stats();
      this.set(oldestOpenAt === null ? 0 : Math.max(0, now() - oldestOpenAt) / 1000);
    },
  });
  return { registry, deliveries, dispatches, acceptSeconds, dispatchSeconds };
}
