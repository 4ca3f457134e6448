import { ForgeHttpError, InvalidInputError } from '../../domain/base/errors.js';
import { retryAfterMs } from '../../domain/base/retry-after.js';
import { FORGE_CLOCK_GRAIN_MS } from '../../domain/forge/trigger.js';
import { connectionFailure, cutOff, isCutOff, isPage, notTheForge } from './http/connection-failure.js';
import type { Failure } from './http/connection-failure.js';
import { excerpt } from './http/excerpt.js';
import { forgeNumber } from './forge-number.js';
import { HttpTransport } from './http/http-transport.js';
import type { HttpResponse } from './http/http-transport.js';
import { readToken } from './http/token.js';
import { apiBaseUrl } from './base-url.js';
import { statusError } from './http-error.js';
import { DEFAULT_RETRY, waitBeforeRetry } from './http/retry.js';
import type { RetryPolicy } from './http/retry.js';

export interface GiteaClientOptions {
  /** `FORGE_GITEA_API`, with or without `/api/v1`. */
  readonly baseUrl: string;
  /** Read anew for every request, so that a replaced token file needs no restart. */
  readonly token: string | (() => string);
  readonly caFile?: string | null;
  readonly socketPath?: string | null;
  /** Milliseconds for one attempt, the body included; 15,000 by default. */
  readonly timeoutMs?: number;
  /** Bytes of one answer; 16 MiB by default. */
  readonly maxResponseBytes?: number;
  readonly retry?: Partial<RetryPolicy>;
}

/** A part of the path between slashes; a number must be a forge's number. */
export type PathSegment = string | number;

export interface GiteaRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: readonly PathSegment[];
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The request may be sent again when its fate is unknown. Default: every method but POST. */
  readonly idempotent?: boolean;
  /** Statuses beyond 2xx that are an answer here, not an error. */
  readonly accept?: readonly number[];
  /** Only the end of the answer is wanted; a forge may send all of it. */
  readonly lastBytes?: number;
  /** Only the beginning of the answer is wanted: no more is read. */
  readonly firstBytes?: number;
  /** For what takes the forge longer than the client's own time-out, milliseconds. */
  readonly timeoutMs?: number;
}

export interface GiteaResponse {
  readonly status: number;
  /** Of its body, as it was sent. */
  readonly bytes: number;
  /** `X-Total-Count`, where the forge sends it. */
  readonly total: number | undefined;
  /** `Date`: the forge's clock, epoch milliseconds. */
  readonly at: number | undefined;
  text(): string;
  json(): unknown;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/**
 * Thin client of Gitea's and Forgejo's REST API [S0]. Errors: `InvalidInputError` before any request for a number or
 * name that cannot be one; `ForgeHttpError` for everything the forge or the way to it answers, status 0 when there
 * was no answer. The token is in one header and nowhere else.
 */
export class GiteaClient {
  readonly retry: RetryPolicy;
  #sent = 0;
  #aheadMs = 0;
  readonly #base: URL;
  readonly #transport: HttpTransport;
  readonly #token: () => string;
  readonly #timeoutMs: number;
  readonly #maxBytes: number;

  constructor(options: GiteaClientOptions) {
    const { token } = options;
    this.#base = apiBaseUrl(options.baseUrl);
    this.#token = typeof token === 'string' ? () => token : token;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#maxBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
    this.retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#transport = new HttpTransport({
      base: this.#base,
      caFile: options.caFile ?? null,
      socketPath: options.socketPath ?? null,
    });
  }

  /** Requests so far, repeated ones among them. */
  get sent(): number {
    return this.#sent;
  }

  /** `Forge.aheadMs` */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  async request(request: GiteaRequest): Promise<GiteaResponse> {
    const path = encodePath(request.path);
    const idempotent = request.idempotent ?? request.method !== 'POST';
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt >= this.retry.tries;
      const outcome = await this.#attempt(request, path);
      if (outcome.kind === 'answer') return outcome.response;
      const { error, repeatable } = outcome;
      if (last || !error.retryable || !(idempotent || repeatable)) throw error;
      await waitBeforeRetry(this.retry, attempt, error.retryAfterMs);
    }
  }

  /** A request whose answer is JSON. */
  async json(request: GiteaRequest): Promise<unknown> {
    return (await this.request(request)).json();
  }

  close(): void {
    this.#transport.close();
  }

  async #attempt(request: GiteaRequest, path: string): Promise<Outcome> {
    const { method } = request;
    const token = readToken(this.#token);
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    let raw: HttpResponse;
    this.#sent += 1;
    const sentAt = Date.now();
    try {
      raw = await this.#transport.send({
        method,
        path: this.#base.pathname + path + encodeQuery(request.query),
        headers: {
          authorization: `token ${token}`,
          accept: 'application/json, text/plain;q=0.9',
          'user-agent': 'bot-bottle-orchestrator',
          ...(request.lastBytes === undefined ? {} : { range: `bytes=-${String(request.lastBytes)}` }),
          ...(body === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        },
        body,
        timeoutMs: request.timeoutMs ?? this.#timeoutMs,
        maxBytes: request.firstBytes ?? this.#maxBytes,
        cut: request.firstBytes !== undefined,
      });
    } catch (cause) {
      return { kind: 'failed', ...connectionFailure(method, path, cause) };
    }
    this.#aheadMs = leastAhead(raw.headers.date, sentAt, Date.now());
    const text = raw.body.subarray(-(request.lastBytes ?? Infinity)).toString('utf8');
    const accepted = (raw.status >= 200 && raw.status < 300) || request.accept?.includes(raw.status) === true;
    if (raw.status < 300 && isPage(raw)) return { kind: 'failed', ...notTheForge(method, path, text, token) };
    if (accepted && isCutOff(raw, text)) return { kind: 'failed', ...cutOff(method, path) };
    if (accepted) {
      return { kind: 'answer', response: responseOf(raw, text, method, path, token) };
    }
    const askedMs = retryAfterMs(raw.headers['retry-after'], Date.now());
    return {
      kind: 'failed',
      error: statusError(method, path, raw.status, text, token, askedMs),
      // Turned away at the door, so certainly not carried out.
      repeatable: raw.status === 429,
    };
  }
}

type Outcome =
  { readonly kind: 'answer'; readonly response: GiteaResponse } | ({ readonly kind: 'failed' } & Failure);

function responseOf(
  raw: HttpResponse,
  text: string,
  method: string,
  path: string,
  token: string,
): GiteaResponse {
  const total = Number(raw.headers['x-total-count']);
  const at = Date.parse(raw.headers.date ?? '');
  return {
    status: raw.status,
    bytes: raw.body.length,
    total: Number.isSafeInteger(total) ? total : undefined,
    at: Number.isNaN(at) ? undefined : at,
    text: () => text,
    json: () => {
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        const message = `${method} ${path}: the answer is not JSON; FORGE_GITEA_API must be a Gitea or Forgejo API (it said: ${excerpt(text, token)})`;
        throw new ForgeHttpError(raw.status, method, path, message, { cause });
      }
    },
  };
}

/** @param date when the forge answered, a whole second of its clock that lies between two moments of ours if they agree */
function leastAhead(date: string | undefined, from: number, to: number): number {
  const at = Date.parse(date ?? '');
  if (at > to) return at - to;
  const latest = at + FORGE_CLOCK_GRAIN_MS;
  return latest < from ? latest - from : 0;
}

/** `/a/b/1`; a segment that could climb, be empty or be no number never reaches the wire. */
function encodePath(segments: readonly PathSegment[]): string {
  return segments
    .map((segment) => {
      if (typeof segment === 'number') return `/${String(forgeNumber(segment))}`;
      if (segment === '' || segment === '.' || segment === '..') {
        throw new InvalidInputError(`${JSON.stringify(segment)} is no name on a forge`);
      }
      return `/${encodeURIComponent(segment)}`;
    })
    .join('');
}

function encodeQuery(query: GiteaRequest['query']): string {
  if (query === undefined) return '';
  const pairs = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  return `?${new URLSearchParams(pairs).toString()}`;
}
