import type { Route, RouteAuth } from './egress/route.js';
import { envName, matching } from './manifest-checks.js';
import type { Check, ManifestReader } from './manifest-reader.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** What frames a request or names its host is the proxy's. */
const NOT_OURS = /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;
/** The orchestrator's own: no upstream may get them. */
const OUR_SECRETS = ['forge-token', 'publish-token', 'webhook-secret'];
/** Upstreams without TLS, where a secret would be read by whoever is on the way: only on this machine or network. */
const NEAR =
  /^(?:localhost|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|\[::1\])$/;

const routeName: Check<string> = matching(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be of a-z, 0-9 and hyphens');
const secretName: Check<string> = (value) => {
  if (OUR_SECRETS.includes(value)) return 'is the orchestrator’s own secret: no route may send it';
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(value) ? undefined : 'is not the name of a secret (a-z 0-9 -)';
};
const prefix: Check<string> = matching(/^[!-~][ -~]{0,49}$|^$/, 'must be printable ASCII, such as "Bearer "');

/** `routes[]` of a bottle. What cannot be read is left out, and reported by the reader. */
export function readRoutes(reader: ManifestReader): readonly Route[] {
  const seen = new Set<string>();
  const routes = reader.sections('routes', (entry) => {
    const route = readRoute(entry);
    if (seen.has(route.name) && route.name !== '') entry.wrong('name', 'stands there twice');
    seen.add(route.name);
    return route;
  });
  return routes ?? [];
}

function readRoute(entry: ManifestReader): Route {
  const upstream = entry.required('upstream', upstreamAddress);
  return {
    name: entry.required('name', routeName),
    upstream: upstreamAddress(upstream) === undefined ? normalised(upstream) : '',
    methods: unique(entry.texts('methods', method)?.map((given) => given.toUpperCase()) ?? ['GET', 'HEAD']),
    paths: unique(entry.texts('paths', routePath) ?? ['/']),
    auth: entry.section('auth', readAuth) ?? null,
    baseUrlEnv: entry.text('base_url_env', envName) ?? null,
    keyEnv: entry.text('key_env', envName) ?? null,
    rewrite: entry.flag('rewrite') ?? false,
  };
}

function readAuth(section: ManifestReader): RouteAuth {
  const header = (section.text('header', headerName) ?? 'authorization').toLowerCase();
  return {
    header,
    prefix: section.text('prefix', prefix) ?? (header === 'authorization' ? 'Bearer ' : ''),
    secret: section.required('secret', secretName),
  };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

function method(value: string): string | undefined {
  return METHODS.includes(value.toUpperCase()) ? undefined : `must be some of ${METHODS.join(', ')}`;
}

function headerName(value: string): string | undefined {
  if (!/^[A-Za-z0-9-]{1,60}$/.test(value)) return 'is not the name of a header';
  return NOT_OURS.test(value.toLowerCase()) ? 'is a header that the proxy sets itself' : undefined;
}

/** As the proxy compares it: nothing in it may mean something else to the upstream. */
function routePath(value: string): string | undefined {
  const plain = /^\/[A-Za-z0-9._~!$&'()*+,;=:@/-]{0,499}$/.test(value);
  const climbs = value.includes('//') || value.split('/').some((part) => part === '.' || part === '..');
  return plain && !climbs ? undefined : 'must be a path such as /v1/messages, or /v1/ for everything below';
}

function upstreamAddress(value: string): string | undefined {
  const url = /^https?:\/\/[!-~]+$/.test(value) && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) return 'is not an address such as https://api.example.org/base';
  if (url.username !== '' || url.password !== '') return 'has credentials in it: use auth.secret';
  if (value.includes('?') || value.includes('#')) return 'may have no ? and no #';
  if (url.protocol === 'http:' && !NEAR.test(url.hostname))
    return 'must be https: http only to a loopback or private address';
  return routePath(url.pathname) === undefined ? undefined : 'has a path that cannot be';
}

function normalised(address: string): string {
  return new URL(address).href.replace(/\/$/, '');
}
