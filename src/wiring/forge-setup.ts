/** Composition of `forge setup`: the real forge, home and place where deliveries arrive. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { messageOf } from '../domain/base/message-of.js';
import { GiteaAdmin } from '../adapters/gitea/gitea-admin.js';
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import { agentStandings } from './agent-standings.js';
import { botRights } from './bot-rights.js';
import type { ForgeSetupWorld } from '../cli/base/setup-world.js';
import { requireSetting, type Config } from '../config/load-config.js';
import { inspectSecret, writeSecret } from '../config/secrets.js';
import type { AgentStanding } from '../domain/agent/agent-standing.js';
import { InvalidInputError, UnusableSecretError } from '../domain/base/errors.js';
import type { AdminTarget } from '../domain/forge/forge-admin.js';
import { servedRepositories } from '../webhook/dispatch/served-repositories.js';
import { watchDeliveries } from '../webhook/door/watch-deliveries.js';
import { needsWorld } from './needs-world.js';
import { sidecarToken } from './secrets-of-config.js';

const SECRET_NAME = 'webhook-secret';
const SECRET_BYTES = 32;

/** Errors: `InvalidInputError` when no forge is configured. */
export function forgeSetup(config: Config): ForgeSetupWorld {
  const forgeApi = requireSetting(config, 'FORGE_GITEA_API');
  return {
    settings: {
      forgeApi,
      repos: config.FORGE_REPOS,
      publish: config.FORGE_PUBLISH,
      publicUrl: config.WEBHOOK_PUBLIC_URL,
      listen: config.WEBHOOK_LISTEN,
    },
    admin: (token) =>
      new GiteaAdmin(
        new GiteaClient({
          baseUrl: forgeApi,
          token: token ?? sidecarToken(config),
          caFile: config.FORGE_CA_FILE,
        }),
      ),
    readAdminToken,
    serves: (target) => serves(config.FORGE_REPOS, target),
    manifests: () => manifests(config),
    webhookSecret: () => {
      const state = inspectSecret(config.WEBHOOK_SECRET_FILE);
      if (state.kind === 'unusable') throw new UnusableSecretError(state.reason);
      return state.kind === 'set' ? state.value : null;
    },
    createWebhookSecret: () => createWebhookSecret(config),
    botRights: (repos, onlyReads) =>
      botRights(
        config,
        repos.map(({ owner, repo }) => ({ forge: 'gitea', owner, repo })),
        { onlyReads },
      ),
    watchDeliveries: (secret) => watchDeliveries(secret, config.WEBHOOK_LISTEN),
  };
}

function serves(patterns: readonly string[], target: AdminTarget): boolean {
  if (target.kind === 'repo') return servedRepositories(patterns)(target.owner, target.repo);
  const prefix = `${target.org}/`.toLowerCase();
  return patterns.some((pattern) => pattern === '*' || pattern.toLowerCase().startsWith(prefix));
}

function readAdminToken(file: string): string {
  const state = inspectSecret(path.resolve(file));
  if (state.kind === 'set') return state.value;
  if (state.kind === 'unusable') throw new UnusableSecretError(state.reason);
  throw new UnusableSecretError(`${file} is missing: write an administrator's token to it (umask 077)`);
}

function createWebhookSecret(config: Config): { value: string; file: string } {
  const home = config.BOT_BOTTLE_HOME;
  if (config.WEBHOOK_SECRET_FILE !== path.join(home, 'secrets', SECRET_NAME)) {
    throw new InvalidInputError(
      `${config.WEBHOOK_SECRET_FILE} (WEBHOOK_SECRET_FILE) is missing: make it, mode 600, or leave the setting out`,
    );
  }
  const value = randomBytes(SECRET_BYTES).toString('hex');
  return { value, file: writeSecret(home, SECRET_NAME, Buffer.from(value)) };
}

async function manifests(config: Config): ReturnType<ForgeSetupWorld['manifests']> {
  const directory = new ManifestDirectory(config.BOT_BOTTLE_HOME);
  const problems: string[] = [];
  const agents: AgentStanding[] = [];
  for (const agent of await agentStandings(directory, needsWorld(config)))
    if (agent.verdict.kind === 'broken') problems.push(agent.verdict.why);
    else agents.push(agent);
  const bottles: string[] = [];
  for (const name of await directory.names('bottles')) {
    try {
      await directory.bottle([name]);
      bottles.push(name);
    } catch (error) {
      const problem = messageOf(error);
      // Of an agent's bottle the agent has said so.
      if (!problems.includes(problem)) problems.push(problem);
    }
  }
  return { agents, bottles, problems };
}
