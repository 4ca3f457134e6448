import { Agents, type RepositoryRules } from '../../../src/domain/agents.js';
import { parseRepositoryAgent } from '../../../src/adapters/manifests/repository-agent.js';
import type { Manifests } from '../../../src/domain/manifests.js';
import { sampleAgent, sampleBottle } from './samples.js';

/** Every name is an agent, and a bottle. */
const ANYTHING: Manifests = {
  agent: (name) => Promise.resolve(sampleAgent(name)),
  bottle: () => Promise.resolve(sampleBottle()),
};

/** Agents of these manifests; of repositories none, unless `rules` allow them. */
export function agentsFrom(
  manifests: Partial<Manifests> = {},
  rules: Partial<Omit<RepositoryRules, 'read'>> = {},
): Agents {
  const bottles = rules.bottles ?? ['default'];
  return new Agents(
    { ...ANYTHING, ...manifests },
    {
      allows: rules.allows ?? (() => false),
      bottles,
      read: (file, name, content) => parseRepositoryAgent(file, name, content, bottles),
    },
  );
}
