/** Composition of the notification hooks. */
import { commandHook } from '../adapters/notify/command-hook.js';
import { isSigningSecret, webhookHook } from '../adapters/notify/webhook-hook.js';
import type { Config } from '../config/load-config.js';
import { readSecret } from '../config/secrets.js';
import { UnusableSecretError } from '../domain/base/errors.js';
import type { Hook } from '../domain/notify/hooks.js';
import { testMessage } from '../domain/notify/notice-body.js';

/** Those that the settings name, maybe none. */
export function notifyHooks(config: Config): Hook[] {
  const { NOTIFY_COMMAND: path, NOTIFY_WEBHOOK_URL: url } = config;
  return [
    ...(path === null ? [] : [commandHook({ path, env: process.env })]),
    ...(url === null
      ? []
      : [webhookHook({ url: new URL(url), secret: () => notifySecret(config), now: Date.now })]),
  ];
}

/** Errors: `UnusableSecretError`. */
export function notifySecret({ NOTIFY_WEBHOOK_SECRET_FILE: file, BOT_BOTTLE_HOME: home }: Config): string {
  const secret = readSecret(file, 'notify-secret', home);
  if (isSigningSecret(secret)) return secret;
  throw new UnusableSecretError(
    `${file} begins with whsec_, and behind that is no base64 of 24 bytes or more`,
  );
}

/** One test message by each. Errors: `UnusableSecretError`. */
export async function testHooks(
  config: Config,
  stopped: AbortSignal,
): Promise<{ readonly hook: string; readonly problem: string | null }[]> {
  if (config.NOTIFY_WEBHOOK_URL !== null) notifySecret(config);
  const message = testMessage(Date.now());
  return Promise.all(
    notifyHooks(config).map(async (hook) => {
      const sent = await hook.send(message, stopped);
      return { hook: hook.name, problem: sent.kind === 'told' ? null : sent.why };
    }),
  );
}
