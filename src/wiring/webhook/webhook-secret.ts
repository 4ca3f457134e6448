import type { Config } from '../../config/load-config.js';
import { readSecret } from '../../config/secrets.js';

/** What deliveries are signed with. Errors: `UnusableSecretError`, with the command that sets it. */
export function webhookSecret(config: Config): string {
  return readSecret(config.WEBHOOK_SECRET_FILE, 'webhook-secret');
}
