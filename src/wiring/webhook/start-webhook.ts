/** Composition root of the webhook: the door, the inbox and the dispatcher, in a process of their own. */
import path from 'node:path';
import { openDatabaseReadOnly } from '../../adapters/sqlite/open-database-read-only.js';
import { openInbox } from '../../adapters/sqlite/inbox/open-inbox.js';
import { openRejectionLog } from '../../adapters/sqlite/inbox/rejection-log.js';
import { agentsOfConfig } from '../agents-of-config.js';
import type { Config } from '../../config/load-config.js';
import { createAcknowledger } from '../../webhook/dispatch/acknowledge.js';
import { startDispatcher } from '../../webhook/dispatch/dispatcher.js';
import { createSegmentHandler } from '../../webhook/dispatch/handle-segment.js';
import { listen } from '../../webhook/door/listen.js';
import { createMetrics } from '../../webhook/door/metrics.js';
import { createRunLookup } from '../../webhook/dispatch/run-lookup.js';
import { traceAttempts } from '../../webhook/dispatch/trace-attempts.js';
import { createWebhookApp } from '../../webhook/door/server.js';
import { temporalGateway } from '../../webhook/dispatch/temporal-gateway.js';
import { temporalClient } from '../temporal-client.js';
import { tracingOfEnvironment } from '../tracing.js';
import { placesOfConfig } from '../places-of-config.js';
import { policyOf } from '../run-policy.js';
import { pruneInbox } from './prune-inbox.js';
import { onFreePort } from '../free-port.js';
import type { WebhookNeeds } from './webhook-needs.js';
import { sidecarToken } from '../secrets-of-config.js';

export interface RunningWebhook {
  readonly url: string;
  stop(): Promise<void>;
}

/** Errors: `InvalidInputError` for a port that is taken, those of the files in the home. */
export async function startWebhook(
  config: Config,
  { forge, secret, log }: WebhookNeeds,
): Promise<RunningWebhook> {
  const home = config.BOT_BOTTLE_HOME;
  const onError = (message: string, error: unknown): void => {
    log.error({ err: error }, message);
  };
  const inbox = openInbox(path.join(home, 'inbox.db'));
  const rejections = openRejectionLog(path.join(home, 'rejections.db'));
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  const tracing = await tracingOfEnvironment('bot-bottle-webhook', log);
  const client = temporalClient(config, { interceptors: tracing?.client });
  const gateway = temporalGateway(client, { policy: policyOf(config) });
  const metrics = createMetrics(inbox, Date.now);
  const acknowledger = createAcknowledger({
    ack: config.FORGE_ACK === 'reactions',
    onRejected: (subject, reason, at) => {
      log.warn({ subject, reason, at }, 'trigger refused');
      const name = `${subject.owner}/${subject.repo}#${String(subject.number)}`;
      return rejections.add({ subject: name, at, reason });
    },
    onError,
  });
  const places = placesOfConfig(
    config,
    (err) => {
      log.warn({ err }, 'repositories.json cannot be understood; the ids are learnt again');
    },
    onError,
  );
  const handle = createSegmentHandler({
    forgeFor: forge.forgeFor(() => sidecarToken(config)),
    runs: createRunLookup(database),
    agents: agentsOfConfig(config),
    gateway,
    acknowledger,
    settings: {
      org: config.FORGE_ORG,
      trigger: config.FORGE_TRIGGER,
      wake: config.FORGE_WAKE,
      wakeOn: config.FORGE_WAKE_ON === 'mention' ? 'mention' : 'every',
      ignored: new Set(config.FORGE_WAKE_IGNORE.map((login) => login.toLowerCase())),
      publish: config.FORGE_PUBLISH,
    },
    serves: places.serves,
    now: Date.now,
  });
  const app = createWebhookApp({
    secret,
    inbox,
    metrics,
    maxBodyBytes: config.WEBHOOK_MAX_BYTES,
    serves: places.serves,
    saw: places.saw,
    worksIn: (repoId) => database.forgeState.livesIn(repoId),
    onAccepted: () => {
      dispatcher.wake();
    },
    now: Date.now,
    onError,
    onUnsigned: (reason) => {
      log.warn({ reason }, 'a delivery was refused: if the forge sent it, run bot-bottle forge setup');
    },
    tracing: tracing?.spans,
    temporalReachable: () => gateway.reachable(),
  });
  const address = config.WEBHOOK_LISTEN;
  const listening = await onFreePort('WEBHOOK_LISTEN', address, () => listen(app, address));
  // Not before the port is ours: the inbox is that of the webhook which has it. No request is read in between.
  const dispatcher = startDispatcher({
    inbox,
    handle: tracing === undefined ? handle : traceAttempts(handle, tracing.spans),
    drained: () => acknowledger.drained(),
    now: Date.now,
    onOutcome: (outcome, sinceAcceptedMs, delivery) => {
      metrics.dispatches.inc({ outcome });
      metrics.dispatchSeconds.observe(sinceAcceptedMs / 1000);
      log.info({ outcome, sinceAcceptedMs, event: delivery.eventType, key: delivery.orderKey }, 'dispatched');
    },
    onError,
  });
  const stopPruning = pruneInbox(inbox, onError);
  log.info({ url: listening.url, org: config.FORGE_ORG, repos: config.FORGE_REPOS }, 'webhook listening');
  return {
    url: listening.url,
    stop: async () => {
      stopPruning();
      await listening.close();
      await dispatcher.stop();
      await client.connection.close();
      await database.close();
      inbox.close();
      await rejections.close();
      await tracing?.spans.stop();
      log.info({}, 'webhook stopped');
    },
  };
}
