/** The rights of the bot's two tokens on the forge, for `doctor` and `forge setup`. */
import { botOwnership } from '../adapters/gitea/bot-ownership.js';
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { checkTokenRights } from '../adapters/gitea/token-rights.js';
import type { RightsFinding, TokenPurpose } from '../adapters/gitea/token-rights.js';
import { publishTokenFile, type Config } from '../config/load-config.js';
import { readSecret } from '../config/secrets.js';
import type { RepoRef } from '../domain/forge/issue.js';
import { FORGE_KIND, forgeOfConfig } from './forge-of-config.js';

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
  const { kind, forgeFor } = forgeOfConfig(config);
  const token = (): string => readSecret(config.FORGE_TOKEN_FILE, 'forge-token');
  const me = await forgeFor(token, retry)({ forge: kind, owner: 'any', repo: 'any' }).whoAmI();
  const ask = (purpose: TokenPurpose, file: string): ReturnType<typeof findings> =>
    findings(config, { file, retry, purpose, repos, onlyReads });
  const problems = [
    ...(await ask('sidecar', config.FORGE_TOKEN_FILE)),
    ...(await ask('publisher', publishTokenFile(config))),
  ];
  problems.push(...(await ownership(config, me.login, retry)));
  const messages = new Set<string>();
  const distinct = problems.filter(({ message }) => !messages.has(message) && messages.add(message).size > 0);
  return { login: me.login, problems: distinct };
}

async function ownership(
  config: Config,
  login: string,
  retry: { readonly tries?: number },
): Promise<RightsFinding[]> {
  const { api: baseUrl } = forgeOfConfig(config);
  const token = readSecret(config.FORGE_TOKEN_FILE, 'forge-token');
  const client = new GiteaClient({ baseUrl, token, caFile: config.FORGE_CA_FILE, retry });
  const { FORGE_ORG: org, FORGE_REPOS: patterns } = config;
  const found = await botOwnership(client, { login, org, patterns });
  return found.map((message) => ({ severity: 'warning', message }));
}

interface RightsQuestion {
  readonly file: string;
  readonly retry: { readonly tries?: number };
  readonly purpose: TokenPurpose;
  readonly repos: readonly RepoRef[];
  readonly onlyReads: boolean;
}

function findings(config: Config, question: RightsQuestion): Promise<readonly RightsFinding[]> {
  const { file, retry, ...rest } = question;
  const { api: baseUrl } = forgeOfConfig(config);
  const caFile = config.FORGE_CA_FILE;
  const name = file === config.FORGE_TOKEN_FILE ? 'forge-token' : 'publish-token';
  const connection = { baseUrl, token: readSecret(file, name), caFile, retry };
  const org = config.FORGE_ORG;
  const publish = config.FORGE_PUBLISH;
  return checkTokenRights(new GiteaClient(connection), { org, publish, ...rest });
}
