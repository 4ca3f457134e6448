/** Which forge the configuration names, and how to talk to it. */
import { requireSetting, type Config } from '../config/load-config.js';
import type { Forks } from '../domain/forge/forks.js';
import type { ForgeKind } from '../domain/forge/issue.js';
import type { ForgeFor } from '../domain/forge/forge.js';
import { connectForge, connectForks } from './connect-forge.js';

/** There is one kind as yet; a second one is a setting that chooses. */
export const FORGE_KIND: ForgeKind = 'gitea';

export interface ConfiguredForge {
  readonly kind: ForgeKind;
  /** Base URL of the API, as configured. */
  readonly api: string;
  /** Where its pages and repositories are, no trailing slash. */
  readonly webUrl: string;
  /** @param token read anew for every request */
  readonly forgeFor: (token: () => string) => ForgeFor;
  /** `null`: runs publish to branches of the repository itself. @param token the publisher's, read anew for every request */
  readonly forks: (token: () => string) => Forks | null;
}

/** Errors: `InvalidInputError` when its address is not set. */
export function forgeOfConfig(config: Config): ConfiguredForge {
  const api = requireSetting(config, 'FORGE_GITEA_API');
  return {
    kind: FORGE_KIND,
    api,
    webUrl: api.replace(/\/api\/v1$/, ''),
    forgeFor: (token) => connectForge({ baseUrl: api, token, caFile: config.FORGE_CA_FILE }),
    forks: (token) =>
      config.FORGE_PUBLISH === 'fork'
        ? connectForks({ baseUrl: api, token, caFile: config.FORGE_CA_FILE })
        : null,
  };
}

/** The same for who can do without: `webUrl` is null while the address is not set. */
export function forgePages(config: Config): { readonly kind: ForgeKind; readonly webUrl: string | null } {
  return { kind: FORGE_KIND, webUrl: config.FORGE_GITEA_API === null ? null : forgeOfConfig(config).webUrl };
}
