import { whyNotPlainPath } from '../egress/plain-path.js';
import {
  MAX_ENTRIES,
  MAX_ROUTES,
  repeatedInRoutes,
  whyNoAuthHeader,
  whyNoAuthPrefix,
  whyNoMethod,
  whyNoRouteName,
  whyNotEncrypted,
  whyNoUpstream,
  whyNoVariable,
} from '../egress/route-checks.js';
import {
  DEFAULT_OUTPUT_TOKENS,
  whyNoModelMethods,
  whyNoModelPattern,
  whyNoOutputCap,
} from '../egress/model-rule.js';
import { MODEL_APIS, MODEL_FEATURES, type ModelRule, type Route, type RouteAuth } from '../egress/route.js';
import { envName } from './manifest-checks.js';
import type { Check, ManifestReader } from './manifest-reader.js';
import { isOwnSecret, isSecretName } from '../secret/secret-name.js';

const MAX_PATH = 500;
/** Keys of manifests for what two routes may not share. */
export const ROUTE_KEYS = { name: 'name', baseUrlEnv: 'base_url_env', keyEnv: 'key_env' } as const;

/** `routes[]` of a bottle. What cannot be read is left out, and reported by the reader. */
export function readRoutes(reader: ManifestReader): readonly Route[] {
  const before: Route[] = [];
  const routes = reader.sections('routes', (entry) => {
    const route = readRoute(entry);
    for (const { key, value } of repeatedInRoutes([...before, route]))
      if (value !== '' && route[key] === value) entry.wrong(ROUTE_KEYS[key], 'stands there twice');
    before.push(route);
    return route;
  });
  if (before.length > MAX_ROUTES) reader.wrong('routes', `has more than ${String(MAX_ROUTES)} routes`);
  return routes ?? [];
}

function readRoute(entry: ManifestReader): Route {
  const upstream = entry.required('upstream', upstreamAddress);
  const model = entry.section('model', readModel) ?? null;
  const methods = unique(
    texts(entry, 'methods', (given) => whyNoMethod(given.toUpperCase()))?.map((given) =>
      given.toUpperCase(),
    ) ?? (model === null ? ['GET', 'HEAD'] : ['POST']),
  );
  const wrong = model === null ? undefined : whyNoModelMethods(methods);
  if (wrong !== undefined) entry.wrong('methods', wrong);
  return {
    name: entry.required('name', whyNoRouteName),
    upstream: upstream === '' ? '' : normalised(upstream),
    methods,
    paths: unique(texts(entry, 'paths', routePath) ?? ['/']),
    auth: entry.section('auth', readAuth) ?? null,
    baseUrlEnv: entry.text('base_url_env', variable) ?? null,
    keyEnv: entry.text('key_env', variable) ?? null,
    rewrite: entry.flag('rewrite') ?? false,
    model,
  };
}

function readAuth(section: ManifestReader): RouteAuth {
  const header = (
    section.text('header', (given) => whyNoAuthHeader(given.toLowerCase())) ?? 'authorization'
  ).toLowerCase();
  return {
    header,
    prefix: section.text('prefix', whyNoAuthPrefix) ?? (header === 'authorization' ? 'Bearer ' : ''),
    secret: section.required('secret', secretName),
  };
}

function readModel(section: ManifestReader): ModelRule {
  if (!section.has('api')) section.missing('api');
  if (!section.has('models')) section.missing('models');
  const allow = section.words('allow', MODEL_FEATURES) ?? [];
  return {
    api: section.word('api', MODEL_APIS) ?? 'anthropic-messages',
    models: unique(texts(section, 'models', whyNoModelPattern) ?? []),
    maxOutputTokens: section.number('max_output_tokens', whyNoOutputCap) ?? DEFAULT_OUTPUT_TOKENS,
    allow: MODEL_FEATURES.filter((feature) => allow.includes(feature)),
  };
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

/** An empty list would be a route that leads nowhere. */
function texts(entry: ManifestReader, key: string, check: Check<string>): readonly string[] | undefined {
  const count = entry.itemsOf(key) ?? 1;
  if (count > 0 && count <= MAX_ENTRIES) return entry.texts(key, check);
  entry.wrong(key, `must have 1 to ${String(MAX_ENTRIES)} entries: leave it out for the default`);
  return undefined;
}

function secretName(value: string): string | undefined {
  if (isOwnSecret(value)) return 'is the orchestrator’s own secret: no route may send it';
  return isSecretName(value) ? undefined : 'is not the name of a secret (a-z 0-9 -)';
}

function variable(value: string): string | undefined {
  return envName(value) ?? whyNoVariable(value);
}

/** A percent sign has its place in requests; in a list it would only be another spelling. */
function routePath(value: string): string | undefined {
  if (value.length > MAX_PATH || value.includes('%') || whyNotPlainPath(value) !== undefined)
    return 'must be a path such as /v1/messages, or /v1/ for everything below';
  return undefined;
}

function upstreamAddress(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const wrong = whyNoUpstream(url === undefined || /[?#]/.test(value) ? value : normalised(value));
  return wrong ?? whyNotEncrypted(value);
}

function normalised(address: string): string {
  return new URL(address).href.replace(/\/$/, '');
}
