import path from 'node:path';
import { LocalBlobStore } from '../../adapters/files/blob-store.js';
import { openDatabaseReadOnly } from '../../adapters/sqlite/open-database-read-only.js';
import { latestRejections } from '../../adapters/sqlite/inbox/rejection-log.js';
import { orchestratorClient } from '../../cli/runs/orchestrator-client.js';
import type { OrchestratorWorld } from '../../cli/runs/orchestrator-world.js';
import type { Orchestrator } from '../../cli/base/orchestrator.js';
import type { Config } from '../../config/load-config.js';
import { fetchCommand } from './fetch-command.js';
import { localTrigger } from './local-trigger.js';
import { operatorName } from './operator-name.js';
import { operatorTrigger } from './operator-trigger.js';
import { temporalClient } from '../temporal-client.js';

/** The commands' orchestrator over the Temporal and the rows that the configuration leads to. The caller closes it. */
export function openOrchestrator(config: Config, options?: { readonly retries: boolean }): Orchestrator {
  return orchestratorClient(orchestratorWorld(config, options));
}

/** What it stands on, in the name of this process' user. Whoever uses it closes it. */
export function orchestratorWorld(
  config: Config,
  options?: { readonly retries: boolean },
): OrchestratorWorld {
  const home = config.BOT_BOTTLE_HOME;
  const client = temporalClient(config, options);
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  const blobs = new LocalBlobStore(home);
  const by = operatorName();
  const storePrompt = (text: string): Promise<string> => blobs.put(text);
  return {
    client,
    database,
    by,
    storeText: storePrompt,
    readText: (ref) => blobs.getText(ref),
    trigger: (subject, options) => operatorTrigger({ config, client, storePrompt, by }, subject, options),
    triggerLocal: (source, options) => localTrigger({ config, client, storePrompt, by }, source, options),
    fetchCommand: (slug) => fetchCommand(home, slug),
    rejections: (limit) => Promise.resolve(latestRejections(path.join(home, 'rejections.db'), limit)),
    close: async () => {
      await database.close();
      await client.connection.close();
    },
  };
}
