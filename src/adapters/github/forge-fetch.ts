import { InvalidInputError } from '../../domain/errors.js';
import { connectionFailure, cutOff, isCutOff } from '../forge-http/connection-failure.js';
import type { Failure } from '../forge-http/connection-failure.js';
import type { HttpResponse, HttpTransport } from '../forge-http/http-transport.js';
import { retryAfterMs } from '../forge-http/retry.js';
import { readToken } from '../forge-http/token.js';
import { statusError } from './http-error.js';
import { limitedForMs } from './rate-limit.js';

/** What Octokit gives its `fetch`. */
interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type ForgeFetch = (url: string, init: FetchInit) => Promise<Response>;

/** One attempt failed; Octokit wraps it as the `cause` of its own error. */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';

  constructor(readonly failure: Failure) {
    super(failure.error.message);
  }
}

export interface ForgeFetchOptions {
  readonly base: URL;
  readonly transport: HttpTransport;
  /** Read anew for every request. */
  readonly token: () => string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Statuses that a `Response` must have no body with (fetch standard, "null body status"). */
const BODILESS = new Set([204, 205]);

/**
 * A `fetch` for Octokit over our own transport: Unix socket, CA, time-out, size cap, no redirect followed. Adds the
 * token, and turns every status but 2xx, and every broken connection, into `AttemptFailed`.
 */
export function forgeFetch(options: ForgeFetchOptions): ForgeFetch {
  const { base, transport, timeoutMs, maxBytes } = options;
  return async (url, init) => {
    const target = pathBelow(base, url);
    const token = readToken(options.token);
    const path = (target.split('?')[0] ?? '').slice(base.pathname === '/' ? 0 : base.pathname.length);
    const request = { method: init.method, path };
    const body = init.body ?? null;
    let raw: HttpResponse;
    try {
      raw = await transport.send({
        method: init.method,
        path: target,
        headers: {
          ...init.headers,
          authorization: `Bearer ${token}`,
          ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
        body,
        timeoutMs,
        maxBytes,
      });
    } catch (cause) {
      throw new AttemptFailed(connectionFailure(init.method, path, cause, 'FORGE_GITHUB_API'));
    }
    if (raw.status >= 200 && raw.status < 300) {
      if (isCutOff(raw, raw.body.toString('utf8'))) throw new AttemptFailed(cutOff(init.method, path));
      return toResponse(raw);
    }
    throw new AttemptFailed(failureOf(request, raw, token));
  };
}

/** What goes on the wire. The token is for this one server, and no name may climb out of its place in the path. */
function pathBelow(base: URL, url: string): string {
  const root = base.href.replace(/\/$/, '');
  if (!url.startsWith(`${root}/`))
    throw new InvalidInputError('the request leads away from FORGE_GITHUB_API');
  const target = url.slice(base.origin.length);
  const segments = (target.split(/[?#]/)[0] ?? '').split('/').slice(1);
  const odd = segments.find((segment) => segment === '' || segment === '.' || segment === '..');
  if (odd !== undefined) throw new InvalidInputError(`${JSON.stringify(odd)} is no name on a forge`);
  return target;
}

function failureOf(
  request: { readonly method: string; readonly path: string },
  raw: HttpResponse,
  token: string,
): Failure {
  const answer = { status: raw.status, body: raw.body.toString('utf8') };
  const now = Date.now();
  const limited = limitedForMs(raw.status, raw.headers, answer.body, now);
  return {
    error: statusError(request, answer, token, {
      limited: limited !== undefined,
      retryAfterMs: limited ?? retryAfterMs(raw.headers['retry-after'], now),
    }),
    // Turned away at the door, so certainly not carried out.
    repeatable: limited !== undefined,
  };
}

function toResponse(raw: HttpResponse): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) headers.append(name, item);
  }
  // A copy: Response wants an ArrayBuffer of its own, a pooled Buffer has a shared one.
  const body = BODILESS.has(raw.status) ? null : new Uint8Array(raw.body);
  return new Response(body, { status: raw.status, headers });
}
