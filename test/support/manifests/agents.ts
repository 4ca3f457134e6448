import { agentProvider } from '../../../src/adapters/agents/registry.js';
import type { NeedsWorld } from '../../../src/domain/agent/agent-needs.js';
import { Agents, type RepositoryRules } from '../../../src/domain/agent/agents.js';
import { parseRepositoryAgent } from '../../../src/adapters/manifests/repository-agent.js';
import type { Manifests } from '../../../src/domain/manifest/manifests.js';
import { sampleAgent, sampleBottle } from './samples.js';

/** Every name is an agent, and a bottle. */
const ANYTHING: Manifests = {
  agent: (name) => Promise.resolve(sampleAgent(name)),
  bottle: () => Promise.resolve(sampleBottle()),
};

/** The providers of this version, with every secret that they need. */
export const READY_WORLD: NeedsWorld = {
  provider: agentProvider,
  upstreams: {},
  secret: () => ({ kind: 'ready' }),
};

/** Agents of these manifests; of repositories none, unless `rules` allow them. */
export function agentsFrom(
  manifests: Partial<Manifests> = {},
  rules: Partial<Omit<RepositoryRules, 'read'>> = {},
  world: Partial<NeedsWorld> = {},
): Agents {
  const bottles = rules.bottles ?? ['default'];
  return new Agents(
    { ...ANYTHING, ...manifests },
    {
      allows: rules.allows ?? (() => false),
      bottles,
      read: (file, name, content) => parseRepositoryAgent(file, name, content, bottles),
    },
    { ...READY_WORLD, ...world },
  );
}
