import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Inbox } from '../../domain/forge/delivery.js';

/** What the webhook process counts; a registry of its own. Labels are outcomes only: a sender cannot grow them. */
export interface WebhookMetrics {
  /** `outcome`: accepted, duplicate, unwanted, unsigned, too_large, malformed, wrong_type, truncated, unavailable. */
  delivered(outcome: string): void;
  dispatched(outcome: string): void;
  /** Seconds from the first byte seen to the durable answer. */
  acceptSeconds(seconds: number): void;
  /** Seconds from acceptance to the end of dispatching. */
  dispatchSeconds(seconds: number): void;
  /** Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** @param inbox its depth and age are read when the metrics are. */
export function createMetrics(inbox: Pick<Inbox, 'stats'>, now: () => number): WebhookMetrics {
  const registers = [new Registry()];
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
  const accept = new Histogram({
    name: 'bot_bottle_webhook_accept_seconds',
    help: 'Time from request to durable answer of accepted deliveries',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const dispatch = new Histogram({
    name: 'bot_bottle_dispatch_seconds',
    help: 'Time from acceptance of a delivery to the end of its dispatch',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600],
    registers,
  });
  const depth = new Gauge({
    name: 'bot_bottle_inbox_open',
    help: 'Deliveries waiting for dispatch',
    registers,
  });
  const age = new Gauge({
    name: 'bot_bottle_inbox_oldest_seconds',
    help: 'Age of the oldest waiting delivery',
    registers,
  });
  return {
    delivered: (outcome) => {
      deliveries.inc({ outcome });
    },
    dispatched: (outcome) => {
      dispatches.inc({ outcome });
    },
    acceptSeconds: (seconds) => {
      accept.observe(seconds);
    },
    dispatchSeconds: (seconds) => {
      dispatch.observe(seconds);
    },
    text: async () => {
      const { open, oldestOpenAt } = inbox.stats();
      depth.set(open);
      age.set(oldestOpenAt === null ? 0 : Math.max(0, now() - oldestOpenAt) / 1000);
      return (await Promise.all(registers.map((registry) => registry.metrics()))).join('');
    },
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
  };
}
