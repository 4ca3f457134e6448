import type { Config } from '../../config/load-config.js';
import { ensureHome } from '../../config/home.js';
import { startWebhook } from '../webhook/start-webhook.js';
import { tellUp } from './part-of-up.js';
import { untilAskedToStop } from './until-asked-to-stop.js';
import { webhookNeeds } from '../webhook/webhook-needs.js';

/** The webhook until a signal. Errors: `MissingNeedsError` before anything is started; those of `startWebhook`. */
export async function serveWebhook(config: Config): Promise<void> {
  const needs = await webhookNeeds(config);
  ensureHome(config.BOT_BOTTLE_HOME);
  const webhook = await startWebhook(config, needs);
  // `up` waits for this word before it says that it is up.
  await tellUp({ kind: 'serving', at: webhook.url });
  await untilAskedToStop();
  await webhook.stop();
}
