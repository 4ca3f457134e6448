/** The rights of the bot's two tokens on the forge, for `doctor` and `forge setup`. */
import { GiteaClient } from './adapters/gitea/gitea-client.js';
import { giteaForgeFor } from './adapters/gitea/gitea-forge.js';
import { checkTokenRights } from './adapters/gitea/token-rights.js';
import type { RightsFinding, TokenPurpose } from './adapters/gitea/token-rights.js';
import { publishTokenFile, requireSetting, type Config } from './config.js';
import { readSecret } from './config/secrets.js';
import type { RepoRef } from './domain/issue.js';

export interface BotRightsOptions {
  /** Asks with GET only, which finds no missing right to write. */
  readonly onlyReads?: boolean;
  readonly retry?: { readonly tries?: number };
}

/** The repositories that `FORGE_REPOS` names one by one: a pattern has none to ask about. */
export function namedRepositories(config: Config): RepoRef[] {
  return config.FORGE_REPOS.flatMap((pattern) => {
    const [owner, repo] = pattern.split('/');
    const isOne = owner !== undefined && repo !== undefined && !pattern.includes('*');
    return isOne ? [{ forge: 'gitea', owner, repo }] : [];
  });
}

/**
 * What is wrong with the tokens, and whose they are.
 * @throws UnusableSecretError without a token; ForgeHttpError when the forge does not answer or does not take it
 */
export async function botRights(
  config: Config,
  repos: readonly RepoRef[],
  { onlyReads = false, retry = {} }: BotRightsOptions = {},
): Promise<{ readonly login: string; readonly problems: readonly RightsFinding[] }> {
  const baseUrl = requireSetting(config, 'FORGE_GITEA_API');
  const client = (file: string): GiteaClient =>
    new GiteaClient({ baseUrl, token: readSecret(file, 'forge-token'), caFile: config.FORGE_CA_FILE, retry });
  const ask = (purpose: TokenPurpose, file: string): ReturnType<typeof checkTokenRights> =>
    checkTokenRights(client(file), { org: config.FORGE_ORG, purpose, repos, onlyReads });
  const me = await giteaForgeFor(client(config.FORGE_TOKEN_FILE))({
    forge: 'gitea',
    owner: 'any',
    repo: 'any',
  }).whoAmI();
  const problems = [
    ...(await ask('sidecar', config.FORGE_TOKEN_FILE)),
    ...(await ask('publisher', publishTokenFile(config))),
  ];
  const messages = new Set<string>();
  const distinct = problems.filter(({ message }) => !messages.has(message) && messages.add(message).size > 0);
  return { login: me.login, problems: distinct };
}
