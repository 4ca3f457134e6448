import type { Client } from '@temporalio/client';
import {
  lazyClient,
  temporalTarget,
  type ClientOptions,
  type TemporalTarget,
} from '../adapters/temporal/connect.js';
import { parseCodecKey, type CodecKey } from '../adapters/temporal/codec/aes-codec.js';
import { codecKeyFiles, type Config } from '../config/load-config.js';
import { readSecret } from '../config/secrets.js';

/** What is sent to Temporal is encrypted with the first. Errors: `UnusableSecretError`, with the command that mends it. */
export function codecKeysOf(config: Config): readonly CodecKey[] {
  return codecKeyFiles(config).map(({ id, name, file }) => parseCodecKey(id, readSecret(file, name)));
}

/** Where Temporal is, by our configuration and what `@temporalio/envconfig` reads. Errors: those of `codecKeysOf`. */
export function targetOf(config: Config): TemporalTarget {
  const { host, port } = config.TEMPORAL_ADDRESS;
  const namespace = config.TEMPORAL_NAMESPACE;
  return temporalTarget({ address: `${host}:${String(port)}`, namespace, codecKeys: codecKeysOf(config) });
}

/** Connects on its first call. Errors: those of `codecKeysOf`. */
export function temporalClient(config: Config, options?: ClientOptions): Client {
  return lazyClient(targetOf(config), options);
}

/** For a few questions: the connection is closed with the last. Errors: those of `codecKeysOf`, and Temporal's. */
export async function askingTemporal<T>(
  config: Config,
  ask: (client: Client) => Promise<T>,
  options?: ClientOptions,
): Promise<T> {
  const client = temporalClient(config, options);
  try {
    return await ask(client);
  } finally {
    await client.connection.close();
  }
}
