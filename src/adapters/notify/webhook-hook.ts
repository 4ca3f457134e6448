import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { retryAfterMs } from '../../domain/base/retry-after.js';
import type { Hook, Message, Sent } from '../../domain/notify/hooks.js';
import { withinLimit } from '../system/within-limit.js';

const LIMIT_MS = 10_000;
/** Of an answer that is no success, for the log. */
const ANSWER_BYTES = 500;
const SECRET_PREFIX = 'whsec_';
/** As the specification says. */
const LEAST_KEY_BYTES = 24;
const GONE = 410;
const TOO_MANY = 429;

export interface WebhookOptions {
  readonly url: URL;
  /** Read at each message: a secret that was replaced needs no restart. Errors: when it cannot be read. */
  readonly secret: () => string;
  readonly now: () => number;
  readonly limitMs?: number;
}

/** Posts messages, signed as Standard Webhooks say. Redirects are not followed. */
export function webhookHook({ url, secret, now, limitMs = LIMIT_MS }: WebhookOptions): Hook {
  return {
    name: 'webhook',
    send: async (message, stopped) => {
      try {
        const headers = signedHeaders(message, secret(), Math.floor(now() / 1000));
        const answer = await withinLimit(limitMs, stopped, (ending) =>
          post(url, message.body, headers, ending),
        );
        return judged(answer, now());
      } catch (error) {
        return { kind: 'again', why: whyNoAnswer(error, limitMs), retryAfterMs: null };
      }
    },
  };
}

/**
 * The headers of the Standard Webhooks specification
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): HMAC-SHA256 over
 * `id.timestamp.body`, the key in base64 behind `whsec_`. Another secret is a key as it is.
 */
export function signedHeaders(
  { id, body }: Message,
  secret: string,
  timestamp: number,
): Readonly<Record<string, string>> {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
  const signature = createHmac('sha256', key)
    .update(`${id}.${String(timestamp)}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}

/** A typing error would make a short key of it, or none. */
export function isSigningSecret(secret: string): boolean {
  if (!secret.startsWith(SECRET_PREFIX)) return true;
  const text = secret.slice(SECRET_PREFIX.length);
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && Buffer.from(text, 'base64').length >= LEAST_KEY_BYTES;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

function post(
  url: URL,
  body: string,
  signed: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...signed,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'bot-bottle',
    };
    const ask = url.protocol === 'https:' ? https.request : http.request;
    const outgoing = ask(url, { method: 'POST', headers, signal, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const { statusCode: status = 0, headers: answered } = incoming;
      const chunks: Buffer[] = [];
      let length = 0;
      const done = (): void => {
        const text = Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8');
        resolve({ status, retryAfter: answered['retry-after'], text });
        // However much is still to come.
        outgoing.destroy();
      };
      // What a success says is of no interest, and may never end.
      if (isSuccess(status)) return done();
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= ANSWER_BYTES) done();
      });
      incoming.on('error', reject);
      incoming.on('end', done);
    });
    outgoing.end(body);
  });
}

function judged({ status, retryAfter, text }: Answer, now: number): Sent {
  if (isSuccess(status)) return { kind: 'told' };
  if (status === GONE) return { kind: 'final', why: 'answered 410: the receiver wants nothing more' };
  const why = `answered ${String(status)}${text === '' ? '' : `: ${text}`}`;
  if (status === TOO_MANY || status >= 500)
    return { kind: 'again', why, retryAfterMs: retryAfterMs(retryAfter, now) ?? null };
  if (status >= 300 && status < 400) return { kind: 'final', why: `${why} (redirects are not followed)` };
  return { kind: 'final', why };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function whyNoAnswer(error: unknown, limitMs: number): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `no answer within ${String(limitMs / 1000)} s`;
  return 'code' in error && typeof error.code === 'string'
    ? `${error.code}: ${error.message}`
    : error.message;
}
