/** Kinds of package registries that a bottle may ask for; where they are, the operator's settings say. */
export const REGISTRY_KINDS = ['npm', 'pypi', 'go', 'cargo', 'maven'] as const;
export type RegistryKind = (typeof REGISTRY_KINDS)[number];

/**
 * A way through the credential proxy: `http://127.0.0.1:<port>/<name>/<rest>` in the agent becomes `<upstream>/<rest>`, with
 * the secret added on the way (spec 7). What a route does not list is refused.
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
