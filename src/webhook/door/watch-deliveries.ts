/** Whether a delivery of the forge reaches the place where the webhook listens: for `forge setup`. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryWatch, Expectation } from '../../domain/forge/delivery-watch.js';
import { originOf } from '../../domain/base/listen-address.js';
import type { ListenAddress } from '../../domain/base/listen-address.js';
import { readBody } from './read-body.js';
import { verifySignature } from '../verify-signature.js';

interface Counts {
  readonly verified: number;
  readonly unsigned: number;
}

const POLL_MS = 100;
const ASK_MS = 2_000;
/** One without a signature may be somebody else's: the right one still gets this long. */
const SECOND_CHANCE_MS = 2_000;
const MAX_BODY_BYTES = 1024 * 1024;
const METRIC = 'bot_bottle_webhook_deliveries_total';
/** Outcomes of deliveries whose signature was right (src/webhook/door/metrics.ts). */
const VERIFIED = /^(?:accepted|duplicate|unwanted|wrong_type|malformed|unavailable)$/;

export async function watchDeliveries(secret: string, address: ListenAddress): Promise<DeliveryWatch> {
  const base = originOf(address);
  if ((await countsAt(`${base}/metrics`)) !== undefined) return watchRunning(base, secret);
  return listenHere(secret, address);
}

function watchRunning(base: string, secret: string): DeliveryWatch {
  const read = async (): Promise<Counts> =>
    (await countsAt(`${base}/metrics`)) ?? { verified: 0, unsigned: 0 };
  return {
    kind: 'running',
    expect: () => expectMore(read),
    sameSecret: () => accepts(base, secret),
    close: () => Promise.resolve(),
  };
}

/** A delivery of our own, of a kind that nothing depends on: answered with 401 where the secret is another. */
async function accepts(base: string, secret: string): Promise<boolean> {
  const body = '{}';
  const { status } = await fetch(`${base}/webhooks/gitea`, {
    method: 'POST',
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
    headers: {
      'content-type': 'application/json',
      'x-gitea-event-type': 'push',
      'x-gitea-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  });
  return status !== 401;
}

async function listenHere(secret: string, { host, port }: ListenAddress): Promise<DeliveryWatch> {
  const counts = { verified: 0, unsigned: 0 };
  const server = createServer((request, response) => {
    void judge(secret, request).then(
      (verdict) => {
        counts[verdict.ok ? 'verified' : 'unsigned'] += 1;
        // Only the test is expected here: what matters must not look delivered on the forge's page.
        const isTest = request.headers['x-gitea-event-type'] === 'push';
        response.writeHead(verdict.ok ? (isTest ? 200 : 503) : 401);
        response.end(verdict.ok && !isTest ? 'the webhook does not run yet' : '');
      },
      () => request.destroy(),
    );
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown fault';
    const taken = code === 'EADDRINUSE' ? 'another program listens there' : code;
    return {
      kind: 'unavailable',
      reason: `no bot-bottle webhook answers at ${host}:${String(port)}, and it can't be listened at (${taken})`,
    };
  }
  return {
    kind: 'own',
    expect: () => expectMore(() => Promise.resolve({ ...counts })),
    sameSecret: () => Promise.resolve(true),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function judge(secret: string, request: IncomingMessage): Promise<{ readonly ok: boolean }> {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.kind !== 'complete') throw new Error('no whole delivery');
  return verifySignature(secret, body.bytes, request.headersDistinct);
}

async function expectMore(read: () => Promise<Counts>): Promise<Expectation> {
  const before = await read();
  return {
    arrived: async (withinMs, ending) => {
      let deadline = Date.now() + withinMs;
      let unsigned = false;
      for (;;) {
        ending.throwIfAborted();
        const now = await read();
        if (now.verified > before.verified) return 'verified';
        if (!unsigned && now.unsigned > before.unsigned) {
          unsigned = true;
          deadline = Math.min(deadline, Date.now() + SECOND_CHANCE_MS);
        }
        if (Date.now() > deadline) return unsigned ? 'unsigned' : 'nothing';
        await sleep(POLL_MS);
      }
    },
  };
}

/** `undefined` when nothing answers, or something that is no webhook of ours. */
async function countsAt(metrics: string): Promise<Counts | undefined> {
  let text: string;
  try {
    const response = await fetch(metrics, { redirect: 'error', signal: AbortSignal.timeout(ASK_MS) });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (!text.includes(METRIC)) return undefined;
  let [verified, unsigned] = [0, 0];
  for (const [, outcome = '', count] of text.matchAll(
    /^bot_bottle_webhook_deliveries_total\{outcome="(\w+)"\} (\d+)$/gm,
  )) {
    if (VERIFIED.test(outcome)) verified += Number(count);
    if (outcome === 'unsigned') unsigned += Number(count);
  }
  return { verified, unsigned };
}
