import { Client, Connection, type ClientInterceptors } from '@temporalio/client';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import type { CodecKey } from './codec/aes-codec.js';
import { clientDataConverter } from './codec/data-converter.js';

/** Where Temporal is and how to get in: address, namespace, TLS, API key, as `@temporalio/envconfig` reads them. */
export interface TemporalTarget {
  readonly connection: ClientConnectConfig['connectionOptions'];
  readonly namespace: string;
  /** What payloads are encrypted with, the current one first; none by default. */
  readonly codecKeys?: readonly CodecKey[];
}

export interface ClientOptions {
  readonly interceptors?: ClientInterceptors | undefined;
  readonly retries?: boolean;
}

/** The environment and its configuration file decide; address and namespace of our own configuration fill the gaps. */
export function temporalTarget(defaults: {
  readonly address: string;
  readonly namespace: string;
  readonly codecKeys: readonly CodecKey[];
}): TemporalTarget {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return {
    connection: { ...connectionOptions, address: connectionOptions.address ?? defaults.address },
    namespace: namespace ?? defaults.namespace,
    codecKeys: defaults.codecKeys,
  };
}

/**
 * A client that connects on its first call, so that a process can start while Temporal is away.
 *
 * @param retries whether calls that fail are tried again by gRPC's interceptor. Who closes the connection while calls may be
 * under way must do without: a try that is due after that throws from a timer, and ends the process.
 */
export function lazyClient(
  { connection, namespace, codecKeys = [] }: TemporalTarget,
  { interceptors = {}, retries = true }: ClientOptions = {},
): Client {
  const dataConverter = clientDataConverter(codecKeys);
  const lazy = Connection.lazy(retries ? connection : { ...connection, interceptors: [] });
  return new Client({ connection: lazy, namespace, dataConverter, interceptors });
}
