/** The orchestrator's own secrets, as they are now. Errors: `UnusableSecretError`, with the command that sets one. */
import { publishTokenFile, type Config } from '../config/load-config.js';
import { readSecret } from '../config/secrets.js';

export function sidecarToken({ FORGE_TOKEN_FILE: file }: Config): string {
  return readSecret(file, 'forge-token');
}

export function publishToken(config: Config): string {
  const file = publishTokenFile(config);
  return file === config.FORGE_TOKEN_FILE ? sidecarToken(config) : readSecret(file, 'publish-token');
}

/** What deliveries are signed with. */
export function webhookSecret({ WEBHOOK_SECRET_FILE: file }: Config): string {
  return readSecret(file, 'webhook-secret');
}
