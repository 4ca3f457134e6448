import type { Client } from '@temporalio/client';
import { lazyClient, temporalTarget, type TemporalTarget } from '../adapters/temporal/connect.js';
import type { Config } from '../config.js';

/** Where Temporal is, by our configuration and what `@temporalio/envconfig` reads. */
export function targetOf(config: Config): TemporalTarget {
  const { host, port } = config.TEMPORAL_ADDRESS;
  return temporalTarget({ address: `${host}:${String(port)}`, namespace: config.TEMPORAL_NAMESPACE });
}

/** Connects on its first call. */
export function temporalClient(config: Config): Client {
  return lazyClient(targetOf(config));
}
