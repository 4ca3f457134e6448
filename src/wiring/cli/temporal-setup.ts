import { setUpNamespace } from '../../adapters/temporal/set-up-namespace.js';
import type { CliDeps } from '../../cli/base/deps.js';
import type { Config } from '../../config/load-config.js';
import { temporalClient } from '../temporal-client.js';

/** Adds the search attributes that the workflows need. Errors: Temporal's. */
export async function temporalSetup(config: Config): ReturnType<CliDeps['temporalSetup']> {
  const client = temporalClient(config);
  try {
    const { added } = await setUpNamespace(client);
    return { namespace: client.options.namespace, added };
  } finally {
    await client.connection.close();
  }
}
