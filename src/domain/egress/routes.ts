import { isRecord } from '../base/is-record.js';
import { isSecretName } from '../secret/secret-name.js';
import { whyNotPlainPath } from './plain-path.js';
import {
  MAX_ENTRIES,
  MAX_ROUTES,
  repeatedInRoutes,
  whyNoAuthHeader,
  whyNoAuthPrefix,
  whyNoMethod,
  whyNoRouteName,
  whyNoUpstream,
  whyNoVariable,
} from './route-checks.js';
import { whyNoModelMethods, whyNoModelPattern, whyNoOutputCap } from './model-rule.js';
import { MODEL_APIS, MODEL_FEATURES, type ModelRule, type Route, type RouteAuth } from './route.js';

export type ReadRoutes =
  | { readonly kind: 'routes'; readonly routes: readonly Route[] }
  /** Each says where: `routes[1].methods: …`. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What is wrong with a value, each with its place. */
type Check = (value: unknown, place: string) => readonly string[];

const ROUTE = object({
  name: text(whyNoRouteName),
  upstream: text((upstream) => whyNoUpstream(withoutSlash(upstream))),
  methods: texts(whyNoMethod),
  paths: texts(whyNotPlainPath),
  auth: optional(
    object({
      header: text(whyNoAuthHeader),
      prefix: absent(text(whyNoAuthPrefix)),
      secret: text((name) => (isSecretName(name) ? undefined : "must be a secret's name")),
    }),
  ),
  baseUrlEnv: optional(text(whyNoVariable)),
  keyEnv: optional(text(whyNoVariable)),
  rewrite: absent(must((value) => typeof value === 'boolean', 'true or false')),
  model: optional(
    object({
      api: must((value) => MODEL_APIS.some((api) => api === value), `one of ${MODEL_APIS.join(', ')}`),
      models: texts(whyNoModelPattern),
      maxOutputTokens: (value, place) => placed(place, whyNoOutputCap(value)),
      allow: absent(must(isFeatureList, `a list of some of ${MODEL_FEATURES.join(', ')}, each once`)),
    }),
  ),
});

/** What `ROUTE` finds right. */
interface WrittenRoute
  extends
    Pick<Route, 'name' | 'upstream' | 'methods' | 'paths'>,
    Partial<Pick<Route, 'baseUrlEnv' | 'keyEnv' | 'rewrite'>> {
  readonly auth?: (Omit<RouteAuth, 'prefix'> & Partial<RouteAuth>) | null;
  readonly model?: (Omit<ModelRule, 'allow'> & Partial<ModelRule>) | null;
}

/** Reads the text of `routes.json`: `{"routes": [...]}`. Nothing unknown is let through. */
export function parseRoutes(jsonText: string): ReadRoutes {
  let value: unknown;
  try {
    value = JSON.parse(jsonText);
  } catch {
    return { kind: 'problems', problems: ['not JSON'] };
  }
  if (!isRecord(value)) return { kind: 'problems', problems: ['must be an object with "routes"'] };
  const unknown = Object.keys(value).filter((key) => key !== 'routes');
  const problems = unknown.map((key) => `${JSON.stringify(key.slice(0, 40))}: unknown`);
  const read = readRoutes(value['routes']);
  if (read.kind === 'problems') return { kind: 'problems', problems: [...problems, ...read.problems] };
  return problems.length > 0 ? { kind: 'problems', problems } : read;
}

/** The same for the list itself, wherever it stands. `auth`, `baseUrlEnv`, `keyEnv`, `rewrite` and `model` may be left out. */
export function readRoutes(value: unknown): ReadRoutes {
  if (!Array.isArray(value)) return { kind: 'problems', problems: ['routes: must be a list'] };
  if (value.length > MAX_ROUTES)
    return { kind: 'problems', problems: [`routes: at most ${String(MAX_ROUTES)}`] };
  const problems: string[] = [];
  const routes = value.flatMap((item: unknown, index) => {
    const place = `routes[${String(index)}]`;
    const wrong = ROUTE(item, place);
    problems.push(...wrong);
    if (wrong.length > 0) return [];
    const route = routeOf(item as WrittenRoute);
    if (route.model !== null) problems.push(...placed(`${place}.methods`, whyNoModelMethods(route.methods)));
    return [route];
  });
  for (const { key, value: twice } of repeatedInRoutes(routes))
    problems.push(`routes: two of them have the ${key} ${JSON.stringify(twice)}`);
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'routes', routes };
}

/** With what may be left out, and in the one way to write it: equal routes are equal texts. */
function routeOf(written: WrittenRoute): Route {
  const { auth = null, baseUrlEnv = null, keyEnv = null, rewrite = false, model = null } = written;
  return {
    name: written.name,
    upstream: withoutSlash(written.upstream),
    methods: unique(written.methods),
    paths: unique(written.paths),
    auth: auth === null ? null : { header: auth.header, prefix: auth.prefix ?? '', secret: auth.secret },
    baseUrlEnv,
    keyEnv,
    rewrite,
    model: model === null ? null : ruleOf(model),
  };
}

function ruleOf({ api, models, maxOutputTokens, allow = [] }: NonNullable<WrittenRoute['model']>): ModelRule {
  const features = MODEL_FEATURES.filter((feature) => allow.includes(feature));
  return { api, models: unique(models), maxOutputTokens, allow: features };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

function isFeatureList(value: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  return MODEL_FEATURES.filter((feature) => items.includes(feature)).length === items.length;
}

function object(checks: Readonly<Record<string, Check>>): Check {
  return (value, place) => {
    if (!isRecord(value)) return [`${place}: must be an object`];
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(checks, key));
    return [
      ...unknown.map((key) => `${place}: ${JSON.stringify(key.slice(0, 40))} is unknown`),
      ...Object.entries(checks).flatMap(([key, check]) => check(value[key], `${place}.${key}`)),
    ];
  };
}

/** It may be left out. */
function absent(check: Check): Check {
  return (value, place) => (value === undefined ? [] : check(value, place));
}

/** It may be left out, or be `null`. */
function optional(check: Check): Check {
  return absent((value, place) => (value === null ? [] : check(value, place)));
}

function must(isRight: (value: unknown) => boolean, form: string): Check {
  return (value, place) => (isRight(value) ? [] : [`${place}: must be ${form}`]);
}

function text(whyNot: (text: string) => string | undefined): Check {
  return (value, place) => placed(place, typeof value === 'string' ? whyNot(value) : 'must be a text');
}

function placed(place: string, wrong: string | undefined): readonly string[] {
  return wrong === undefined ? [] : [`${place}: ${wrong}`];
}

function texts(whyNot: (text: string) => string | undefined): Check {
  return (value, place) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    if (items.length === 0 || items.length > MAX_ENTRIES)
      return [`${place}: must be a list of 1 to ${String(MAX_ENTRIES)} texts`];
    if (!items.every((item) => typeof item === 'string')) return [`${place}: must be a list of texts`];
    return items.flatMap((item, index) => text(whyNot)(item, `${place}[${String(index)}]`));
  };
}
