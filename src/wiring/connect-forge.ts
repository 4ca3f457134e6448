/** Composition root of the forge: another kind of forge is another adapter here. */
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { GiteaForks } from '../adapters/gitea/forks.js';
import { giteaForgeFor } from '../adapters/gitea/gitea-forge.js';
import type { Forks } from '../domain/forge/forks.js';
import type { ForgeFor } from '../domain/forge/forge.js';

export interface ForgeConnection {
  readonly baseUrl: string;
  /** Read anew for every request when a function. */
  readonly token: string | (() => string);
  readonly caFile: string | null;
  /** Unix socket that stands for the address. */
  readonly socketPath?: string | null;
}

/** Errors: `InvalidInputError` for an address that cannot be one. */
export function connectForge(connection: ForgeConnection): ForgeFor {
  return giteaForgeFor(new GiteaClient(connection));
}

export function connectForks(connection: ForgeConnection): Forks {
  return new GiteaForks(new GiteaClient(connection));
}
