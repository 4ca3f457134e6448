import http from 'node:http';
import https from 'node:https';
import { BotBottleError } from '../../domain/base/errors.js';
import type { Finding, FindingDoor } from '../../domain/upkeep/reconcile.js';

export interface DoorOptions {
  /** Where findings are posted. */
  readonly url: URL;
  readonly bodyOf: (finding: Finding) => string;
  /** Signs a body. */
  readonly headersFor: (body: string) => Readonly<Record<string, string>>;
  /** Milliseconds for one finding; 10,000 by default. */
  readonly timeoutMs?: number;
}

/** Posts findings to the webhook process, one after the other on one connection. Errors: `BotBottleError`. */
export function findingDoor({ url, bodyOf, headersFor, timeoutMs = 10_000 }: DoorOptions): FindingDoor & {
  /** Ends the idle connection. */
  close(): void;
} {
  const secure = url.protocol === 'https:';
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1 });
  const statusOf = (body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { ...headersFor(body), 'content-length': String(Buffer.byteLength(body)) };
      const signal = AbortSignal.timeout(timeoutMs);
      const outgoing = (secure ? https : http).request(url, { method: 'POST', headers, agent, signal });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve(incoming.statusCode ?? 0);
        });
        incoming.resume();
      });
      outgoing.end(body);
    });
  return {
    post: async (finding) => {
      const status = await statusOf(bodyOf(finding)).catch((cause: unknown) => {
        const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
        const message = `no answer from the webhook at ${url.origin} (${code}): is it running, and is RECONCILE_DOOR right?`;
        throw new BotBottleError('door', message, true, { cause });
      });
      if (status === 202) return 'accepted';
      if (status === 200) return 'known';
      const advice =
        status === 401 ? ': worker and webhook need the same WEBHOOK_SECRET_FILE' : ': see its log';
      const message = `the webhook at ${url.origin} answered ${String(status)}${advice}`;
      throw new BotBottleError('door', message, true);
    },
    close: () => {
      agent.destroy();
    },
  };
}
