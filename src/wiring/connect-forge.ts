/** Composition root of the forge: the one place that knows every adapter. */
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { GiteaForks } from '../adapters/gitea/forks.js';
import { giteaForgeFor } from '../adapters/gitea/gitea-forge.js';
import type { Forks } from '../domain/forge/forks.js';
import type { ForgeKind } from '../domain/forge/issue.js';
import type { ForgeFor } from '../domain/forge/forge.js';

export interface ForgeConnection {
  readonly baseUrl: string;
  /** Read anew for every request when a function. */
  readonly token: string | (() => string);
  readonly caFile: string | null;
  /** Unix socket that stands for the address. */
  readonly socketPath?: string | null;
}

/** An adapter each. */
const FORGES: Readonly<Record<ForgeKind, (connection: ForgeConnection) => ForgeFor>> = {
  gitea: (connection) => giteaForgeFor(new GiteaClient(connection)),
};

/** Errors: `InvalidInputError` for an address that cannot be one. */
export function connectForge(kind: ForgeKind, connection: ForgeConnection): ForgeFor {
  return FORGES[kind](connection);
}

export function connectForks(connection: ForgeConnection): Forks {
  return new GiteaForks(new GiteaClient(connection));
}
