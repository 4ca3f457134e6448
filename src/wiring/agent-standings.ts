/** Composition of what `doctor`, `forge setup`, `agents show` and `agents check` know of agents. */
import type { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import { agentNeeds, type NeedsWorld } from '../domain/agent/agent-needs.js';
import type { AgentStanding } from '../domain/agent/agent-standing.js';
import { InvalidInputError } from '../domain/base/errors.js';

/** Every agent of the operator's and of the product, sorted by name. */
export async function agentStandings(
  directory: ManifestDirectory,
  world: NeedsWorld,
): Promise<AgentStanding[]> {
  const names = await directory.names('agents');
  return Promise.all(names.map((name) => standingOfAgent(directory, world, name)));
}

export async function standingOfAgent(
  directory: ManifestDirectory,
  world: NeedsWorld,
  name: string,
): Promise<AgentStanding> {
  const isOwn = await directory.isOwn('agents', name);
  const none = { name, isOwn, isStandIn: false, providers: [], image: null };
  const broken = (why: string): AgentStanding => ({ ...none, verdict: { kind: 'broken', why } });
  try {
    const agent = await directory.agent(name);
    if (agent === undefined) return broken(`there is no agent "${name}"`);
    const bottle = await directory.bottle([agent.bottle]);
    if (bottle === undefined)
      return broken(
        `the agent "${name}" works in the bottle "${agent.bottle}", and there is no such bottle: bot-bottle agents check ${name}`,
      );
    const { providers, verdict } = agentNeeds(world, agent, bottle);
    if (verdict.kind === 'lacks') return { ...none, providers, verdict };
    const provider = world.provider(verdict.provider);
    const isStandIn = provider.access(agent.model) === null;
    return { ...none, isStandIn, providers, verdict, image: bottle.image ?? provider.image };
  } catch (error) {
    if (error instanceof InvalidInputError) return broken(error.message);
    throw error;
  }
}
