import type { RequestHandler, Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { hasExpired, type ApiToken } from '../domain/api/api-token.js';
import { SlidingWindow } from '../domain/base/sliding-window.js';
import type { ApiDeps } from './base/api-deps.js';
import { problem } from './base/problem.js';

const BEARER = /^Bearer ([\w-]{1,200})$/i;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
/** Tries without a good token, of everybody together: a token has 256 random bits, this saves work. */
const FAILURES_PER_MINUTE = 600;

/** Refuses names that a page of somebody else may have led here by, and every page. @param allowed besides loopback */
export function fromHere(allowed: readonly string[]): RequestHandler {
  const names = allowed.filter((host) => !isWildcard(host));
  const hosts = new Set([...LOOPBACK, ...names.map((host) => (isIPv6(host) ? `[${host}]` : host))]);
  return (request, response, next) => {
    const host = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
    if (!hosts.has(host)) problem(response, 403, 'ask for it by 127.0.0.1 or the address that it listens at');
    else if (isOfPage(request.headers))
      problem(response, 403, 'pages may not use the API: ask from a program');
    else next();
  };
}

/** Browsers send no `Origin` with an image, a script or a link; `none` is an address that somebody typed. */
function isOfPage({ origin, 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): boolean {
  return origin !== undefined || site !== 'none';
}

/** Whether it is every address of this machine, which is nobody's name. */
export function isWildcard(host: string): boolean {
  const url = `http://${isIPv6(host) ? `[${host}]` : host}`;
  // `0` and `::0.0.0.0` are wildcards, too, once they are read as addresses.
  return URL.canParse(url) && ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(new URL(url).hostname);
}

/** Lets a good token through, so often a minute. */
export function authorize({
  tokens,
  now,
  requestsPerMinute,
}: Pick<ApiDeps, 'tokens' | 'now' | 'requestsPerMinute'>): RequestHandler {
  // Not the wall clock: set back, it would refuse everybody until it has caught up.
  const elapsed = (): number => performance.now();
  const failures = new SlidingWindow(FAILURES_PER_MINUTE, elapsed);
  const windows = new Map<string, SlidingWindow>();
  const windowOf = (id: string): SlidingWindow => {
    const window = windows.get(id) ?? new SlidingWindow(requestsPerMinute, elapsed);
    windows.set(id, window);
    return window;
  };
  return async (request, response, next) => {
    const secret = secretOf(request.headers.authorization);
    const token = secret === undefined ? undefined : await tokens.find(secret);
    const isGood = token !== undefined && !hasExpired(token, now());
    const waitMs = (isGood ? windowOf(token.id) : failures).take();
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1000));
      response.setHeader('Retry-After', seconds);
      problem(response, 429, `too many requests in a minute: wait ${seconds} s`);
    } else if (!isGood) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      problem(response, 401, 'send a token that is good: bot-bottle token create makes one');
    } else {
      response.locals['token'] = token;
      next();
    }
  };
}

export function secretOf(header: string | undefined): string | undefined {
  return BEARER.exec(header ?? '')?.[1];
}

/** The token that `authorize` let through. */
export function tokenOf(response: Response): ApiToken {
  return response.locals['token'] as ApiToken;
}
