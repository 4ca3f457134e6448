import type { Route } from '../../../domain/egress/route.js';
import { endToEnd, type HeaderList } from '../headers.js';

/** How clients say who they are, to whatever kind of service, and for whom they act. */
const AUTHENTICATION = [
  ...['authorization', 'cookie', 'cookie2', 'x-csrf-token'],
  // Keys and tokens, by whatever name.
  ...['api-key', 'apikey', 'x-api-key', 'x-goog-api-key', 'ocp-apim-subscription-key', 'x-functions-key'],
  ...['x-auth-token', 'x-access-token', 'x-amz-security-token', 'x-vault-token', 'x-consul-token'],
  ...['private-token', 'job-token', 'x-auth-key', 'x-auth-email', 'x-jfrog-art-api', 'x-nuget-apikey'],
  // Another user whom the key may act for: Gitea's and GitLab's, Kubernetes', those of a proxy that has signed one in.
  ...['sudo', 'impersonate-user', 'impersonate-group', 'impersonate-uid'],
  ...['remote-user', 'x-remote-user', 'x-remote-group', 'x-webauth-user', 'x-webauth-email'],
  // Whom OpenAI is to charge.
  ...['openai-organization', 'openai-project'],
];
/** Headers by which a request becomes another one behind what checked it. */
const OVERRIDES = [
  // Its method.
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-method'],
  // Its path.
  ...['x-original-url', 'x-original-uri', 'x-original-path', 'x-override-url', 'x-rewrite-url'],
  // Its host.
  ...['x-host', 'x-original-host', 'x-http-host-override'],
  // Where it comes from.
  ...['forwarded', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'cf-connecting-ip'],
];
const EXCHANGE = ['host', 'expect', 'accept-encoding'];
/** With what Apache and Azure read in place of `Range`. */
const RANGES = new Set(['range', 'if-range', 'request-range', 'x-ms-range']);
const REMOVED = new Set([...AUTHENTICATION, ...OVERRIDES, ...EXCHANGE]);
const REMOVED_PREFIXES = ['x-forwarded-', 'x-envoy-', 'impersonate-extra-', 'proxy-', 'sec-websocket-'];

/**
 * Whether answers of this route are asked for whole, never in parts: a secret cut in two is found in neither, and a body
 * that is rewritten has other borders.
 */
export function isAskedWhole({ auth, rewrite }: Route): boolean {
  return auth !== null || rewrite;
}

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
    if (isAskedWhole(route) && RANGES.has(lower)) return false;
    return !REMOVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
  });
  return [...kept, ['Accept-Encoding', 'identity']];
}
