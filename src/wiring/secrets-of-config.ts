/** The orchestrator's own secrets, as they are now. Errors: `UnusableSecretError`, with what sets one. */
import { publishTokenFile, type Config } from '../config/load-config.js';
import { readSecret } from '../config/secrets.js';

export function sidecarToken({ FORGE_TOKEN_FILE: file, BOT_BOTTLE_HOME: home }: Config): string {
  return readSecret(file, 'forge-token', home);
}

export function publishToken(config: Config): string {
  const file = publishTokenFile(config);
  return file === config.FORGE_TOKEN_FILE
    ? sidecarToken(config)
    : readSecret(file, 'publish-token', config.BOT_BOTTLE_HOME);
}

/** What deliveries are signed with. */
export function webhookSecret({ WEBHOOK_SECRET_FILE: file, BOT_BOTTLE_HOME: home }: Config): string {
  return readSecret(file, 'webhook-secret', home);
}
