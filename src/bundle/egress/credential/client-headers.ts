import type { Route } from '../../../domain/egress/route.js';
import { endToEnd, type HeaderList } from '../headers.js';

/** How clients say who they are, to whatever kind of service. */
const AUTHENTICATION = [
  ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-auth-token', 'x-access-token'],
  ...['private-token', 'job-token', 'x-amz-security-token', 'cookie', 'cookie2', 'x-csrf-token'],
  // Whom OpenAI is to charge.
  ...['openai-organization', 'openai-project'],
];
/** Headers by which a request becomes another one behind what checked it. */
const OVERRIDES = [
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
  ...[
    'x-original-uri',
    'x-original-host',
    'x-host',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'forwarded',
  ],
];
const EXCHANGE = ['host', 'expect', 'accept-encoding'];
const REMOVED = new Set([...AUTHENTICATION, ...OVERRIDES, ...EXCHANGE]);
const REMOVED_PREFIXES = ['x-forwarded-', 'proxy-', 'sec-websocket-'];

/**
 * What of a client's headers goes on through a route: not its authentication, not that of any route, nothing that makes
 * a server behind read another method, path or host, and no name with an underscore, which some servers read as a
 * hyphen. Encodings are asked off, since an answer is searched for the secret.
 */
export function headersForUpstream(
  rawHeaders: readonly string[],
  route: Route,
  routes: readonly Route[],
): HeaderList {
  const ofRoutes = new Set(routes.flatMap(({ auth }) => (auth === null ? [] : [auth.header])));
  const kept = endToEnd(rawHeaders).filter(([name]) => {
    const lower = name.toLowerCase();
    if (REMOVED.has(lower) || ofRoutes.has(lower) || lower.includes('_')) return false;
    // A part of a body that is rewritten has other borders.
    if (route.rewrite && (lower === 'range' || lower === 'if-range')) return false;
    return !REMOVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
  });
  return [...kept, ['Accept-Encoding', 'identity']];
}
