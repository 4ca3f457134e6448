/** The rights of the bot's two tokens on the forge, for `doctor` and `forge setup`. */
import { botOwnership } from '../adapters/gitea/bot-ownership.js';
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { rememberedUser } from '../adapters/gitea/gitea-repo.js';
import { checkTokenRights } from '../adapters/gitea/token-rights.js';
import type { RightsFinding, TokenPurpose } from '../adapters/gitea/token-rights.js';
import type { Config } from '../config/load-config.js';
import { ForgeHttpError } from '../domain/base/errors.js';
import type { RepoRef } from '../domain/forge/issue.js';
import { FORGE_KIND, forgeOfConfig } from './forge-of-config.js';
import { publishToken, sidecarToken } from './secrets-of-config.js';

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
    return isOne ? [{ forge: FORGE_KIND, owner, repo }] : [];
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
  const { api: baseUrl } = forgeOfConfig(config);
  const { FORGE_ORG: org, FORGE_REPOS: patterns, FORGE_PUBLISH: publish, FORGE_CA_FILE: caFile } = config;
  const clientWith = (token: string): GiteaClient => new GiteaClient({ baseUrl, token, caFile, retry });
  const sidecar = clientWith(sidecarToken(config));
  const { login } = await rememberedUser(sidecar)();
  const ask = (purpose: TokenPurpose, client: GiteaClient): Promise<readonly RightsFinding[]> =>
    checkTokenRights(client, { org, publish, purpose, repos, onlyReads });
  const problems = [
    ...(await ask('sidecar', sidecar)),
    ...(await ask('publisher', clientWith(publishToken(config))).catch(ofThePublisher)),
    ...(await botOwnership(sidecar, { login, org, patterns })).map((message): RightsFinding => ({
      severity: 'warning',
      message,
    })),
  ];
  const isFirst = ({ message }: RightsFinding, at: number): boolean =>
    problems.findIndex((other) => other.message === message) === at;
  return { login, problems: problems.filter(isFirst) };
}

/** The sidecar's token was taken: of two secrets it is this one. */
function ofThePublisher(error: unknown): never {
  if (!(error instanceof ForgeHttpError) || error.status !== 401) throw error;
  const message = `the token of FORGE_PUBLISH_TOKEN_FILE: ${error.message}`;
  throw new ForgeHttpError(error.status, error.method, error.path, message, { cause: error });
}
