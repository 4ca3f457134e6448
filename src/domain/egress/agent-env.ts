import { CREDENTIAL_PORT, EGRESS_PORT } from './ports.js';
import { PLACEHOLDER_KEY, type EgressRules, type Route } from './route.js';

const PROXY = `http://127.0.0.1:${String(EGRESS_PORT)}`;
const NO_PROXY = '127.0.0.1,localhost,::1';

/** For clients that know one spelling only. curl, on purpose, reads `http_proxy` in lower case alone. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  NO_PROXY,
  no_proxy: NO_PROXY,
  // Node's own fetch looks at the variables above only when told to (22.21, 24).
  NODE_USE_ENV_PROXY: '1',
};

/** Names of the variables that say where the proxy is, in whatever spelling: no route may take one. */
export function egressVariables(): ReadonlySet<string> {
  return new Set([...Object.keys(PROXY_VARIABLES), 'ALL_PROXY', 'all_proxy', 'FTP_PROXY', 'ftp_proxy']);
}

/** A route's address, as the agent sees it. */
export function routeAddress({ name }: Pick<Route, 'name'>): string {
  return `http://127.0.0.1:${String(CREDENTIAL_PORT)}/${name}`;
}

/** A bottle that allows nothing and has no routes gets neither forwarders nor variables. */
export function wantsEgress({ allow, routes }: EgressRules): boolean {
  return allow.length > 0 || routes.length > 0;
}

/** The agent's environment of one turn: where its proxies are. */
export function egressEnv(setup: EgressRules): Readonly<Record<string, string>> {
  if (!wantsEgress(setup)) return {};
  const own = setup.routes.flatMap((route) => [
    ...(route.baseUrlEnv === null ? [] : [[route.baseUrlEnv, routeAddress(route)] as const]),
    ...(route.keyEnv === null ? [] : [[route.keyEnv, PLACEHOLDER_KEY] as const]),
  ]);
  return { ...Object.fromEntries(own), ...PROXY_VARIABLES };
}
