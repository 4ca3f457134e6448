import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';

/** Where Temporal is and how to get in: address, namespace, TLS, API key, as `@temporalio/envconfig` reads them. */
export interface TemporalTarget {
  readonly connection: ClientConnectConfig['connectionOptions'];
  readonly namespace: string;
}

/** The environment and its configuration file decide; address and namespace of our own configuration fill the gaps. */
export function temporalTarget(defaults: {
  readonly address: string;
  readonly namespace: string;
}): TemporalTarget {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return {
    connection: { ...connectionOptions, address: connectionOptions.address ?? defaults.address },
    namespace: namespace ?? defaults.namespace,
  };
}

/** A client that connects on its first call, so that a process can start while Temporal is away. */
export function lazyClient(target: TemporalTarget): Client {
  return new Client({ connection: Connection.lazy(target.connection), namespace: target.namespace });
}
