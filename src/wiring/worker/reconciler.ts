/** Composition root of the reconciler: its ports, and its schedule at Temporal. */
import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { ReconcilePorts } from '../../activities/reconcile/reconcile-ports.js';
import { findingDoor } from '../../adapters/door/finding-door.js';
import { reconcileFile } from '../../adapters/files/reconcile-file.js';
import { giteaFeed } from '../../adapters/gitea/feed.js';
import { GiteaClient } from '../../adapters/gitea/gitea-client.js';
import { setReconcileSchedule } from '../../adapters/temporal/pass-schedule.js';
import type { Config } from '../../config/load-config.js';
import { forgeOfConfig } from '../forge-of-config.js';
import { keepSchedule } from './keep-schedule.js';
import { RECONCILE_WORKFLOW } from '../../workflows/messages.js';
import { feedSources } from '../../domain/forge/forge-feed.js';
import { originOf } from '../../domain/base/listen-address.js';
import type { Clock } from '../../domain/base/clock.js';
import type { Database } from '../../domain/run/stores.js';
import type { Logger } from '../../config/log.js';
import { findingBody, findingHeaders, RECONCILED_PATH } from '../../webhook/events/reconciled.js';
import { servedRepositories } from '../../webhook/dispatch/served-repositories.js';
import { sidecarToken, webhookSecret } from '../secrets-of-config.js';

/** Errors: `InvalidInputError` for configuration. */
export function reconcilePorts(
  config: Config,
  { database, clock, log }: { readonly database: Database; readonly clock: Clock; readonly log: Logger },
): ReconcilePorts & { readonly close: () => void } {
  const client = new GiteaClient({
    baseUrl: forgeOfConfig(config).api,
    token: () => sidecarToken(config),
    caFile: config.FORGE_CA_FILE,
    // Every attempt counts, and the next pass is one.
    retry: { tries: 1 },
  });
  const origin = config.RECONCILE_DOOR ?? originOf(config.WEBHOOK_LISTEN);
  const door = findingDoor({
    url: new URL(`${origin}${RECONCILED_PATH}`),
    bodyOf: findingBody,
    // Read anew each time, as a replaced secret needs no restart; the log never sees it.
    headersFor: (body) => findingHeaders(webhookSecret(config), body),
  });
  return {
    feed: giteaFeed(client),
    door,
    store: reconcileFile(path.join(config.BOT_BOTTLE_HOME, 'reconcile.json'), (err) => {
      log.warn({ err }, 'reconcile.json cannot be understood; looking at everything open again');
    }),
    database,
    clock,
    log,
    settings: {
      sources: feedSources(config.FORGE_REPOS),
      serves: servedRepositories(config.FORGE_REPOS),
      requests: config.FORGE_POLL_REQUESTS,
    },
    close: () => {
      door.close();
      client.close();
    },
  };
}

/** Keeps the schedule of the reconciler; resolves when it has stopped. Temporal being away is only logged. */
export async function keepReconcileSchedule(
  client: Client,
  config: Config,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  const intervalMs = config.FORGE_POLL_INTERVAL;
  await keepSchedule(client, log, stopped, {
    name: 'reconciler',
    workflowType: RECONCILE_WORKFLOW,
    fields: { intervalMs, requests: config.FORGE_POLL_REQUESTS },
    set: () => setReconcileSchedule(client, intervalMs),
  });
}
