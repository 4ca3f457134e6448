import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import type { InboxOptions } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import type { Inbox } from '../../../src/domain/forge/delivery.js';
import { DEFAULT_LIMITS, listen } from '../../../src/webhook/door/listen.js';
import type { Listening, ListenLimits } from '../../../src/webhook/door/listen.js';
import { createMetrics } from '../../../src/webhook/door/metrics.js';
import { createWebhookApp } from '../../../src/webhook/door/server.js';
import type { WebhookDeps } from '../../../src/webhook/door/server.js';
import { SECRET } from './sign.js';

export interface StartedWebhook {
  readonly inbox: Inbox;
  readonly listening: Listening;
  readonly url: string;
  /** Messages that went to the log. */
  readonly errors: string[];
  accepted(): number;
  stop(): Promise<void>;
}

/** WEBHOOK_MAX_BYTES, unless a test says another. */
export const MAX_BODY_BYTES = 1024 * 1024;

interface Options {
  readonly inboxFile: string;
  readonly inbox?: InboxOptions;
  readonly limits?: Partial<ListenLimits>;
  readonly deps?: Partial<WebhookDeps>;
}

/** The real door on a real socket: application, inbox file, server. */
export async function startWebhook(options: Options): Promise<StartedWebhook> {
  const inbox = openInbox(options.inboxFile, options.inbox);
  const errors: string[] = [];
  let accepted = 0;
  const app = createWebhookApp({
    secret: SECRET,
    inbox,
    metrics: createMetrics(inbox, Date.now),
    maxBodyBytes: MAX_BODY_BYTES,
    serves: () => true,
    worksIn: () => Promise.resolve(false),
    onAccepted: () => {
      accepted += 1;
    },
    now: Date.now,
    onError: (message, error) => {
      errors.push(`${message}: ${error instanceof Error ? error.message : String(error)}`);
    },
    temporalReachable: () => false,
    ...options.deps,
  });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, limits);
  return {
    inbox,
    listening,
    url: listening.url,
    errors,
    accepted: () => accepted,
    stop: async () => {
      await listening.close(100);
      inbox.close();
    },
  };
}
