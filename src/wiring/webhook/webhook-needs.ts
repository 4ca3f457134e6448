import type { Config } from '../../config/load-config.js';
import { secretsRead } from '../../config/secrets.js';
import { createLogger, type Logger } from '../../config/log.js';
import { findNeeds } from '../find-needs.js';
import { forgeOfConfig, type ConfiguredForge } from '../forge-of-config.js';
import { assertBotRights } from '../start-up-rights.js';
import { codecKeysOf } from '../temporal-client.js';
import { sidecarToken, webhookSecret } from '../secrets-of-config.js';

export interface WebhookNeeds {
  readonly forge: ConfiguredForge;
  /** What deliveries are signed with. */
  readonly secret: string;
  readonly log: Logger;
}

/** What the webhook stands on, found before anything is started. Errors: `MissingNeedsError`. */
export async function webhookNeeds(config: Config): Promise<WebhookNeeds> {
  const log = createLogger({ level: config.LOG_LEVEL, name: 'webhook', secrets: secretsRead });
  const { forge, secret } = await findNeeds({
    forge: () => forgeOfConfig(config),
    codecKeys: () => codecKeysOf(config),
    token: () => sidecarToken(config),
    secret: () => webhookSecret(config),
    rights: () => assertBotRights(config, log),
  });
  return { forge, secret, log };
}
