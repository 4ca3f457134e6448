/** Composition root of the forge: the one place that knows every adapter. Only the one that is asked for is loaded. */
import type { ForgeKind } from './domain/issue.js';
import type { ForgeFor } from './domain/ports.js';

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
export async function loadForge(kind: ForgeKind, connection: ForgeConnection): Promise<ForgeFor> {
  switch (kind) {
    case 'gitea': {
      const [{ GiteaClient }, { giteaForgeFor }] = await Promise.all([
        import('./adapters/gitea/gitea-client.js'),
        import('./adapters/gitea/gitea-forge.js'),
      ]);
      return giteaForgeFor(new GiteaClient(connection));
    }
    case 'github': {
      const [{ GithubClient }, { githubForgeFor }] = await Promise.all([
        import('./adapters/github/github-client.js'),
        import('./adapters/github/github-forge.js'),
      ]);
      return githubForgeFor(new GithubClient(connection));
    }
  }
}
