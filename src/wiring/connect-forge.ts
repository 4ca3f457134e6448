/** Composition root of the forge: the one place that knows every adapter. */
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { GiteaForks } from '../adapters/gitea/forks.js';
import { giteaForgeFor } from '../adapters/gitea/gitea-forge.js';
import { GithubClient } from '../adapters/github/github-client.js';
import { githubForgeFor } from '../adapters/github/github-forge.js';
import type { Forks } from '../domain/forks.js';
import type { ForgeKind } from '../domain/issue.js';
import type { ForgeFor } from '../domain/forge.js';

export interface ForgeConnection {
  readonly baseUrl: string;
  /** Read anew for every request when a function. */
  readonly token: string | (() => string);
  readonly caFile: string | null;
  /** Unix socket that stands for the address. */
  readonly socketPath?: string | null;
  readonly retry?: { readonly tries?: number };
}

/** Errors: `InvalidInputError` for an address that cannot be one. */
export function connectForge(kind: ForgeKind, connection: ForgeConnection): ForgeFor {
  switch (kind) {
    case 'gitea':
      return giteaForgeFor(new GiteaClient(connection));
    case 'github':
      return githubForgeFor(new GithubClient(connection));
  }
}

/** Gitea's and Forgejo's alone: `FORGE_PUBLISH=fork` is refused for others. */
export function connectForks(connection: ForgeConnection): Forks {
  return new GiteaForks(new GiteaClient(connection));
}
