import { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import { parseRepositoryAgent } from '../adapters/manifests/repository-agent.js';
import type { Config } from '../config.js';
import { Agents } from '../domain/agents.js';
import { servedRepositories } from '../webhook/served-repositories.js';

/** Every agent that these settings let a trigger name. */
export function agentsOfConfig(config: Config): Agents {
  const { FORGE_REPO_AGENTS: patterns, FORGE_REPO_BOTTLES: bottles } = config;
  return new Agents(new ManifestDirectory(config.BOT_BOTTLE_HOME), {
    allows: patterns === null ? () => false : servedRepositories(patterns),
    bottles,
    read: (file, name, content) => parseRepositoryAgent(file, name, content, bottles),
  });
}
