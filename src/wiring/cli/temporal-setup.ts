import { setUpNamespace } from '../../adapters/temporal/set-up-namespace.js';
import type { CliDeps } from '../../cli/base/deps.js';
import type { Config } from '../../config/load-config.js';
import { askingTemporal } from '../temporal-client.js';

/** Adds the search attributes that the workflows need. Errors: Temporal's. */
export function temporalSetup(config: Config): ReturnType<CliDeps['temporalSetup']> {
  return askingTemporal(config, async (client) => {
    const { added } = await setUpNamespace(client);
    return { namespace: client.options.namespace, added };
  });
}
