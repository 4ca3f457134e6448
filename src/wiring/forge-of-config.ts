/** Which forge the configuration names, and how to talk to it. */
import { githubWebUrl } from '../adapters/github/base-url.js';
import { requireSetting, type Config } from '../config.js';
import { InvalidInputError } from '../domain/errors.js';
import type { Forks } from '../domain/forks.js';
import type { ForgeKind } from '../domain/issue.js';
import type { ForgeFor } from '../domain/forge.js';
import { connectForge, connectForks, type ForgeConnection } from './connect-forge.js';

export interface ConfiguredForge {
  readonly kind: ForgeKind;
  /** Base URL of the API, as configured. */
  readonly api: string;
  /** Where its pages and repositories are, no trailing slash. */
  readonly webUrl: string;
  /** @param token read anew for every request */
  readonly forgeFor: (token: () => string, retry?: ForgeConnection['retry']) => ForgeFor;
  /** `null`: runs publish to branches of the repository itself. @param token the publisher's, read anew for every request */
  readonly forks: (token: () => string) => Forks | null;
}

/** Errors: `InvalidInputError` when the setting that this kind of forge needs is missing, or one that it can't do is set. */
export function forgeOfConfig(config: Config): ConfiguredForge {
  const kind = config.FORGE_KIND;
  if (kind === 'github' && config.FORGE_PUBLISH === 'fork')
    throw new InvalidInputError(
      'FORGE_PUBLISH: fork works with Gitea and Forgejo; with FORGE_KIND github set it to branch, or leave it out',
    );
  const api = kind === 'github' ? config.FORGE_GITHUB_API : requireSetting(config, 'FORGE_GITEA_API');
  return {
    kind,
    api,
    webUrl: kind === 'github' ? githubWebUrl(api) : api.replace(/\/api\/v1$/, ''),
    forgeFor: (token, retry = {}) =>
      connectForge(kind, { baseUrl: api, token, caFile: config.FORGE_CA_FILE, retry }),
    forks: (token) =>
      config.FORGE_PUBLISH === 'fork'
        ? connectForks({ baseUrl: api, token, caFile: config.FORGE_CA_FILE })
        : null,
  };
}

/** The same for who can do without: `webUrl` is null while the address is not set. */
export function forgePages(config: Config): { readonly kind: ForgeKind; readonly webUrl: string | null } {
  const { FORGE_KIND: kind, FORGE_GITEA_API: gitea } = config;
  return { kind, webUrl: kind === 'gitea' && gitea === null ? null : forgeOfConfig(config).webUrl };
}
