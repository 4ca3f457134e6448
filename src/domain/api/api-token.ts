/** Who may use the HTTP API. A token is kept by its hash alone. */

export const API_SCOPES = ['read', 'operate'] as const;
/** `operate` may read, too. */
export type ApiScope = (typeof API_SCOPES)[number];

/** Times are epoch milliseconds. */
export interface ApiToken {
  /** Eight hexadecimal digits; says nothing about the token. */
  readonly id: string;
  readonly name: string;
  readonly scope: ApiScope;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewApiToken {
  readonly scope: ApiScope;
  readonly name: string;
  /** How long it is good for, milliseconds. */
  readonly lastsMs: number;
}

/** `$BOT_BOTTLE_HOME/api-tokens.json`. Errors: when the file can't be read as what it must be. */
export interface ApiTokens {
  /** `secret` is shown once and kept nowhere. */
  create(token: NewApiToken): Promise<{ readonly token: ApiToken; readonly secret: string }>;
  /** Oldest first, with those that have expired. */
  list(): Promise<readonly ApiToken[]>;
  /** False when there is none of that id. */
  revoke(id: string): Promise<boolean>;
  /** The token that the secret belongs to, expired or not; `undefined` for any other text. */
  find(secret: string): Promise<ApiToken | undefined>;
}

export function isApiScope(value: unknown): value is ApiScope {
  return API_SCOPES.some((scope) => scope === value);
}

export function hasExpired({ expiresAt }: Pick<ApiToken, 'expiresAt'>, now: number): boolean {
  return expiresAt <= now;
}

export function mayUse({ scope }: Pick<ApiToken, 'scope'>, needed: ApiScope): boolean {
  return scope === 'operate' || scope === needed;
}
