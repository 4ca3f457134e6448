import { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import { parseRepositoryAgent } from '../adapters/manifests/repository-agent.js';
import type { Config } from '../config/load-config.js';
import { Agents } from '../domain/agent/agents.js';
import { servedRepositories } from '../webhook/dispatch/served-repositories.js';
import { needsWorld } from './needs-world.js';

/** Every agent that these settings let a trigger name. */
export function agentsOfConfig(config: Config): Agents {
  const world = needsWorld(config);
  const { FORGE_REPO_AGENTS: patterns, FORGE_REPO_BOTTLES: bottles } = config;
  const rules = {
    allows: patterns === null ? () => false : servedRepositories(patterns),
    bottles,
    read: (file: string, name: string, content: Uint8Array) =>
      parseRepositoryAgent(file, name, content, bottles),
  };
  return new Agents(new ManifestDirectory(config.BOT_BOTTLE_HOME), rules, world);
}
