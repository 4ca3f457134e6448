/** Deliveries posted at a fixed rate, whatever the answers take, each timed at the client. */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedDelivery } from '../../test/support/deliveries/signed-delivery.js';
import { hmacOf } from '../../test/support/webhook/sign.js';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface PacedPosts {
  /** Milliseconds from the sending to the end of the answer, one a delivery, in order. */
  readonly answerMs: readonly number[];
  readonly answers: readonly Answer[];
  /** How far behind its rate the client was at most, milliseconds. */
  readonly mostLateMs: number;
}

const ANSWER_MS = 30_000;

/** Errors: the socket's, or a time-out of 30 s; a status is no error. */
export async function postAtRate(
  url: string,
  deliveries: readonly SignedDelivery[],
  perSecond: number,
): Promise<PacedPosts> {
  const agent = new http.Agent({ keepAlive: true });
  const began = performance.now();
  const posts: Promise<Post>[] = [];
  let mostLateMs = 0;
  try {
    for (const [at, delivery] of deliveries.entries()) {
      const due = began + (at * 1000) / perSecond;
      while (performance.now() < due) await delay(due - performance.now());
      mostLateMs = Math.max(mostLateMs, performance.now() - due);
      const post = postOnce(url, delivery, agent);
      // Heard of below; an early failure must not end the process before.
      post.catch(() => undefined);
      posts.push(post);
    }
    const done = await Promise.all(posts);
    return {
      answerMs: done.map(({ ms }) => ms),
      answers: done,
      mostLateMs,
    };
  } finally {
    agent.destroy();
  }
}

/** The same delivery from a forge with another secret. */
export function signedAnew({ headers, body }: SignedDelivery, secret: string): SignedDelivery {
  const digest = hmacOf(body, secret);
  return {
    headers: { ...headers, 'x-gitea-signature': digest, 'x-hub-signature-256': `sha256=${digest}` },
    body,
  };
}

interface Post extends Answer {
  readonly ms: number;
}

function postOnce(url: string, { headers, body }: SignedDelivery, agent: http.Agent): Promise<Post> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const outgoing = http.request(
      url,
      {
        method: 'POST',
        agent,
        timeout: ANSWER_MS,
        headers: { ...headers, 'content-length': String(body.length) },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.once('error', reject);
        incoming.once('end', () => {
          resolve({ status: incoming.statusCode ?? 0, text, ms: performance.now() - began });
        });
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${String(ANSWER_MS)} ms`)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
