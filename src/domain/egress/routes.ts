import { isRecord } from '../base/is-record.js';
import { isSecretName } from '../secret/secret-name.js';
import { whyNotPlainPath } from './plain-path.js';
import {
  isAuthHeader,
  isAuthPrefix,
  isRouteMethod,
  isRouteName,
  isRouteVariable,
  MAX_ENTRIES,
  MAX_ROUTES,
  repeatedInRoutes,
  ROUTE_METHODS,
  whyNoUpstream,
} from './route-checks.js';
import {
  isModelPattern,
  isOutputCap,
  MODEL_METHODS_TEXT,
  MOST_OUTPUT_TOKENS,
  oddModelMethod,
} from './model-rule.js';
import { MODEL_APIS, MODEL_FEATURES, type ModelRule, type Route, type RouteAuth } from './route.js';

const KEYS = [
  'name',
  'upstream',
  'methods',
  'paths',
  'auth',
  'baseUrlEnv',
  'keyEnv',
  'rewrite',
  'model',
] as const;
const AUTH_KEYS = ['header', 'prefix', 'secret'] as const;
const MODEL_KEYS = ['api', 'models', 'maxOutputTokens', 'allow'] as const;

export type ReadRoutes =
  | { readonly kind: 'routes'; readonly routes: readonly Route[] }
  /** Each says where: `routes[1].methods: …`. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

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
  const routes = value.map((item: unknown, index) => {
    const reader = new Reader(`routes[${String(index)}]`, problems);
    return readRoute(item, reader);
  });
  for (const { key, value: twice } of repeatedInRoutes(routes))
    problems.push(`routes: two of them have the ${key} ${JSON.stringify(twice)}`);
  if (problems.length > 0) return { kind: 'problems', problems };
  return { kind: 'routes', routes: routes.filter((route) => route !== undefined) };
}

function readRoute(value: unknown, at: Reader): Route | undefined {
  const fields = at.object(value, KEYS);
  if (fields === undefined) return undefined;
  const name = at.text(fields, 'name', isRouteName, 'small letters, digits and hyphens');
  const upstream = at.checked(fields, 'upstream', (text) => whyNoUpstream(withoutSlash(text)));
  const methods = at.texts(fields, 'methods', (method) =>
    isRouteMethod(method) ? undefined : `must be one of ${ROUTE_METHODS.join(', ')}`,
  );
  const paths = at.texts(fields, 'paths', whyNotPlainPath);
  const auth = readAuth(fields['auth'] ?? null, at.below('auth'));
  const baseUrlEnv = readVariable(fields, 'baseUrlEnv', at);
  const keyEnv = readVariable(fields, 'keyEnv', at);
  const { rewrite = false } = fields;
  if (typeof rewrite !== 'boolean') at.say('rewrite', 'must be true or false');
  const model = readModel(fields['model'] ?? null, at.below('model'));
  const odd = model === null ? undefined : oddModelMethod(methods ?? []);
  if (odd !== undefined) at.say('methods', `of a route to a model are ${MODEL_METHODS_TEXT}: not ${odd}`);
  if (name === undefined || upstream === undefined || methods === undefined || paths === undefined)
    return undefined;
  return {
    name,
    upstream: withoutSlash(upstream),
    methods,
    paths,
    auth,
    baseUrlEnv,
    keyEnv,
    rewrite: rewrite === true,
    model,
  };
}

function readAuth(value: unknown, at: Reader): RouteAuth | null {
  if (value === null) return null;
  const fields = at.object(value, AUTH_KEYS);
  if (fields === undefined) return null;
  const header = at.text(fields, 'header', isAuthHeader, "a header's name in lower case, such as x-api-key");
  const prefix = at.text({ prefix: '', ...fields }, 'prefix', isAuthPrefix, 'plain text');
  const secret = at.text(fields, 'secret', isSecretName, "a secret's name");
  if (header === undefined || prefix === undefined || secret === undefined) return null;
  return { header, prefix, secret };
}

function readModel(value: unknown, at: Reader): ModelRule | null {
  if (value === null) return null;
  const fields = at.object(value, MODEL_KEYS);
  if (fields === undefined) return null;
  const api = at.word(fields, 'api', MODEL_APIS);
  const models = at.texts(fields, 'models', (text) =>
    isModelPattern(text) ? undefined : "must be a model's name, or its beginning and a *",
  );
  const { maxOutputTokens, allow = [] } = fields;
  const isCap = typeof maxOutputTokens === 'number' && isOutputCap(maxOutputTokens);
  if (!isCap) at.say('maxOutputTokens', `must be a whole number from 1 to ${String(MOST_OUTPUT_TOKENS)}`);
  const asked: readonly unknown[] = Array.isArray(allow) ? allow : [undefined];
  const features = MODEL_FEATURES.filter((feature) => asked.includes(feature));
  if (features.length !== asked.length)
    at.say('allow', `must be a list of some of ${MODEL_FEATURES.join(', ')}, each once`);
  if (api === undefined || models === undefined || !isCap) return null;
  return { api, models, maxOutputTokens, allow: features };
}

function readVariable(fields: Fields, key: 'baseUrlEnv' | 'keyEnv', at: Reader): string | null {
  if ((fields[key] ?? null) === null) return null;
  return at.text(fields, key, isRouteVariable, 'the name of a variable that has no other use') ?? null;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

type Fields = Readonly<Record<string, unknown>>;

/** Collects what is wrong, each with its place. */
class Reader {
  constructor(
    private readonly place: string,
    private readonly problems: string[],
  ) {}

  below(key: string): Reader {
    return new Reader(`${this.place}.${key}`, this.problems);
  }

  say(key: string, problem: string): void {
    this.problems.push(`${this.place}${key === '' ? '' : `.${key}`}: ${problem}`);
  }

  object(value: unknown, keys: readonly string[]): Fields | undefined {
    if (!isRecord(value)) {
      this.say('', 'must be an object');
      return undefined;
    }
    for (const key of Object.keys(value))
      if (!keys.includes(key)) this.say('', `${JSON.stringify(key.slice(0, 40))} is unknown`);
    return value;
  }

  checked(fields: Fields, key: string, whyNot: (text: string) => string | undefined): string | undefined {
    const value = fields[key];
    const wrong = typeof value === 'string' ? whyNot(value) : 'must be a text';
    if (wrong === undefined && typeof value === 'string') return value;
    this.say(key, wrong ?? '');
    return undefined;
  }

  text(fields: Fields, key: string, isRight: (text: string) => boolean, form: string): string | undefined {
    return this.checked(fields, key, (text) => (isRight(text) ? undefined : `must be ${form}`));
  }

  word<const T extends string>(fields: Fields, key: string, words: readonly T[]): T | undefined {
    const found = words.find((word) => word === fields[key]);
    if (found === undefined) this.say(key, `must be one of ${words.join(', ')}`);
    return found;
  }

  texts(
    fields: Fields,
    key: string,
    whyNot: (text: string) => string | undefined,
  ): readonly string[] | undefined {
    const value: unknown = fields[key];
    const items: unknown[] = Array.isArray(value) ? value : [];
    if (items.length === 0 || items.length > MAX_ENTRIES) {
      this.say(key, `must be a list of 1 to ${String(MAX_ENTRIES)} texts`);
      return undefined;
    }
    const texts = items.filter((item) => typeof item === 'string');
    if (texts.length < items.length) {
      this.say(key, 'must be a list of texts');
      return undefined;
    }
    const wrong = texts.flatMap((text, index) => {
      const why = whyNot(text);
      return why === undefined ? [] : [[index, why] as const];
    });
    for (const [index, why] of wrong) this.say(`${key}[${String(index)}]`, why);
    return wrong.length > 0 ? undefined : [...new Set(texts)];
  }
}
