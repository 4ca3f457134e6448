import { routeAddress } from '../../../domain/egress/agent-env.js';
import type { Route } from '../../../domain/egress/route.js';
import { isAskedWhole } from './client-headers.js';
import { endToEnd, type HeaderList } from '../headers.js';
import { blankSecret } from './secret-forms.js';

/** What an upstream says to its client only: cookies would be its login, the others lead past the proxy. */
const REMOVED = new Set(['set-cookie', 'set-cookie2', 'alt-svc', 'clear-site-data', 'refresh']);
const ADDRESSES = new Set(['location', 'content-location']);
/** Of a body that is changed on the way. */
const OF_THE_BODY = new Set([
  'content-length',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
  'etag',
]);

export interface AnswerContext {
  readonly route: Route;
  readonly routes: readonly Route[];
  /** What was asked for, absolute. */
  readonly url: string;
  readonly secret: string | undefined;
  /** Its length will differ. */
  readonly isChanged: boolean;
  readonly isDecoded: boolean;
}

/** What of an upstream's headers goes on to the client. */
export function headersForClient(rawHeaders: readonly string[], context: AnswerContext): HeaderList {
  const { secret, isChanged, isDecoded } = context;
  return endToEnd(rawHeaders).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (REMOVED.has(lower)) return [];
    // Clients that read this ask for parts, which they do not get.
    if (lower === 'accept-ranges' && isAskedWhole(context.route)) return [];
    if ((isChanged || isDecoded) && OF_THE_BODY.has(lower)) return [];
    if (isDecoded && lower === 'content-encoding') return [];
    const shown = ADDRESSES.has(lower) ? addressForClient(value, context) : value;
    return shown === undefined ? [] : [[name, blankSecret(shown, secret)] as const];
  });
}

/**
 * A redirect below the route's upstream, as the client can follow it; `undefined` for any other: it would lead the client
 * to where it has no way, or by another one. A route that rewrites may lead to the other routes as well.
 */
function addressForClient(value: string, { route, routes, url }: AnswerContext): string | undefined {
  if (!URL.canParse(value, url)) return undefined;
  const { href, username, password } = new URL(value, url);
  if (username !== '' || password !== '') return undefined;
  for (const known of [route, ...(route.rewrite ? routes : [])]) {
    if (href === known.upstream || href === `${known.upstream}/`) return `${routeAddress(known)}/`;
    if (href.startsWith(`${known.upstream}/`)) return routeAddress(known) + href.slice(known.upstream.length);
  }
  return undefined;
}
