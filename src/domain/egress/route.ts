/** Kinds of package registries that a bottle may ask for; where they are, the operator's settings say. */
export const REGISTRY_KINDS = ['npm', 'pypi', 'go', 'cargo', 'maven'] as const;
export type RegistryKind = (typeof REGISTRY_KINDS)[number];

/**
 * A way through the credential proxy: `http://127.0.0.1:<port>/<name>/<rest>` in the agent becomes `<upstream>/<rest>`, with
 * the secret added on the way. What a route does not list is refused.
 */
export interface Route {
  /** First segment of the path, and the route's name in logs: a-z, 0-9, hyphens. */
  readonly name: string;
  /** `https://host[:port][/base]`, no user, query or fragment. The operator's own: it may be a private address. */
  readonly upstream: string;
  /** Upper case. */
  readonly methods: readonly string[];
  /** Paths below the upstream that may be asked for: exact, or everything below one that ends in `/`. `['/']` is all. */
  readonly paths: readonly string[];
  readonly auth: RouteAuth | null;
  /** Variable of the agent's environment that gets this route's address. */
  readonly baseUrlEnv: string | null;
  /** Variable that gets a placeholder, for clients that do not start without a key. */
  readonly keyEnv: string | null;
  /** Addresses below an upstream that stand in an answer's text (HTML, JSON) are replaced by this route's own. */
  readonly rewrite: boolean;
  /** Set for a route to a model: its calls are read, metered and kept within the turn's budget. */
  readonly model: ModelRule | null;
}

/** What a bottle may reach: lines of the allowlist, normalised, and routes. */
export interface EgressRules {
  readonly allow: readonly string[];
  readonly routes: readonly Route[];
}

/** The dialects of model APIs that the proxy reads. */
export const MODEL_APIS = ['anthropic-messages', 'openai-responses', 'openai-chat'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** What the provider would do for the model on its own machines, or keep there: refused unless the route lists it. */
export const MODEL_FEATURES = [
  'server_tools',
  'remote_mcp',
  'url_sources',
  'files',
  'background',
  'store',
] as const;
export type ModelFeature = (typeof MODEL_FEATURES)[number];

/** What a route to a model lets through beyond its paths. */
export interface ModelRule {
  readonly api: ModelApi;
  /** Models that may be asked for: exact, or all that begin with what stands before a `*` at the end. */
  readonly models: readonly string[];
  /** A request may ask for at most this many tokens of output. */
  readonly maxOutputTokens: number;
  readonly allow: readonly ModelFeature[];
}

export interface RouteAuth {
  /** Header that carries the secret: lower case, such as `x-api-key` or `authorization`. */
  readonly header: string;
  /** Stands before the secret's value, such as `Bearer `; may be empty. */
  readonly prefix: string;
  /** Name of a file in `$BOT_BOTTLE_HOME/secrets`. */
  readonly secret: string;
}

/** What the agent's clients find in place of a key. */
export const PLACEHOLDER_KEY = 'bot-bottle-placeholder';
