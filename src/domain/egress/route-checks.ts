/**
 * What the parts of a route may be: in manifests, which people write, and in `routes.json`, which the proxy reads. Each check
 * says what is wrong, to stand behind the part's name; `undefined` for what is right.
 */
import { egressVariables } from './agent-env.js';
import { whyNotPlainPath } from './plain-path.js';

export const ROUTE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export const MAX_ROUTES = 100;
/** Of methods or paths of one route. */
export const MAX_ENTRIES = 1000;

const ROUTE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const HEADER_NAME = /^[a-z0-9][a-z0-9-]{0,59}$/;
/** Headers that carry the exchange and not a key: the proxy's own, and what frames a body. */
const EXCHANGE =
  /^(?:host|connection|content-(?:length|encoding|type)|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|range|proxy-.*)$/;
/** What stands before a secret in its header: visible ASCII and spaces. */
const PREFIX = /^(?:[!-~][ -~]{0,49})?$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** They decide what runs, or how. */
const SYSTEM = /^(?:PATH|HOME|LANG|BASH_ENV|ENV|NODE_OPTIONS|IFS|LD_.*)$/;

const NEAR =
  /^(?:localhost|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|\[::1\])$/;

/** @param text in upper case */
export function whyNoMethod(text: string): string | undefined {
  return ROUTE_METHODS.some((method) => method === text)
    ? undefined
    : `must be some of ${ROUTE_METHODS.join(', ')}`;
}

/** A segment of an address in the bottle: `http://127.0.0.1:<port>/<name>`. */
export function whyNoRouteName(text: string): string | undefined {
  return ROUTE_NAME.test(text)
    ? undefined
    : 'must be of a-z, 0-9 and hyphens, at most 63, without a hyphen at either end';
}

/** @param text in lower case */
export function whyNoAuthHeader(text: string): string | undefined {
  return HEADER_NAME.test(text) && !EXCHANGE.test(text)
    ? undefined
    : 'is not the name of a header that can carry a key, such as x-api-key';
}

export function whyNoAuthPrefix(text: string): string | undefined {
  return PREFIX.test(text) ? undefined : 'must be printable ASCII, such as "Bearer "';
}

/** Of a variable that a route sets in the agent's environment. */
export function whyNoVariable(name: string): string | undefined {
  if (!VARIABLE.test(name)) return 'is not a name of an environment variable';
  const isTaken = SYSTEM.test(name) || egressVariables().has(name);
  return isTaken ? 'has another use: choose another name' : undefined;
}

/** @param text without a slash at its end */
export function whyNoUpstream(text: string): string | undefined {
  const url = /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'is not an address such as https://api.example.org/base';
  if (url.username !== '' || url.password !== '') return 'has credentials in it: use auth.secret';
  if (/[?#]/.test(text)) return 'may have no ? and no #: neither query nor fragment';
  if (url.hostname.endsWith('.') || url.hostname.includes('*')) return 'must name one host';
  const plain = url.href.replace(/\/+$/, '');
  if (text !== plain) return `must be written as ${plain}`;
  return url.pathname === '/' ? undefined : whyNotPlainPath(url.pathname);
}

/** Without TLS, a secret would be read by whoever is on the way to a host that is not on this machine or network. */
export function whyNotEncrypted(upstream: string): string | undefined {
  const { protocol, hostname } = new URL(upstream);
  return protocol === 'http:' && !NEAR.test(hostname)
    ? 'must be https: http only to a loopback or private address'
    : undefined;
}

/** What two routes have in common that only one may have: the value, by its key. */
export function repeatedInRoutes(
  routes: readonly (RouteIdentity | undefined)[],
): readonly RepeatedInRoutes[] {
  return (['name', 'baseUrlEnv', 'keyEnv'] as const).flatMap((key) => {
    const values = routes.flatMap((route) => route?.[key] ?? []);
    const twice = values.filter((value, index) => values.indexOf(value) !== index);
    return [...new Set(twice)].map((value) => ({ key, value }));
  });
}

export interface RouteIdentity {
  readonly name: string;
  readonly baseUrlEnv: string | null;
  readonly keyEnv: string | null;
}

export interface RepeatedInRoutes {
  readonly key: keyof RouteIdentity;
  readonly value: string;
}
