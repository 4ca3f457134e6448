import type { Audience } from '../forge/access.js';
import { agentNeeds, type NeedsWorld } from './agent-needs.js';
import { InvalidInputError } from '../base/errors.js';
import type { Forge } from '../forge/forge.js';
import type { AgentManifest, BottleManifest, Manifests } from '../manifest/manifests.js';

/** Where a repository keeps the agents that it brings. */
export const REPOSITORY_AGENTS = '.bot-bottle/agents';

const MAX_BYTES = 64 * 1024;

export interface AgentRequest {
  readonly name: string;
  /** Named beside the agent, by label or by the operator; empty for the agent's own. */
  readonly bottles: readonly string[];
  readonly repo: { readonly owner: string; readonly repo: string };
  readonly forge: Pick<Forge, 'readDefaultHead' | 'readFile'>;
  /** Provider of the run's last turn, which it stays with; `null` or left out for a run that begins. */
  readonly before?: string | null;
}

/** Of a repository that is not asked: it brings no agents. */
export const NO_FILES: AgentRequest['forge'] = {
  readDefaultHead: () => Promise.resolve(undefined),
  readFile: () => Promise.resolve({ kind: 'none' }),
};

/** What may wake the agents of a bottle. */
export interface WakeRule {
  /** `null` for `FORGE_WAKE`. */
  readonly people: Audience | null;
  /** Whether failed checks do. */
  readonly checks: boolean;
}

const WRITERS_ALONE: WakeRule = { people: 'collaborators', checks: false };

/** The file of a repository that an agent was read from. */
export interface RepositorySource {
  readonly path: string;
  /** The default branch's head when it was read. */
  readonly commit: string;
}

export type AgentAnswer =
  | {
      readonly kind: 'found';
      readonly agent: AgentManifest;
      /** Which of the agent's plays it. */
      readonly provider: string;
      readonly bottleNames: readonly string[];
      readonly bottle: BottleManifest;
      /** `null` for an agent of the operator's, or one that comes with the product. */
      readonly source: RepositorySource | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

export interface RepositoryRules {
  /** `FORGE_REPO_AGENTS`: whether a repository may bring agents. */
  readonly allows: (owner: string, repo: string) => boolean;
  /** `FORGE_REPO_BOTTLES` */
  readonly bottles: readonly string[];
  /** Errors: `ManifestError`. */
  readonly read: (file: string, name: string, content: Uint8Array) => AgentManifest;
}

/**
 * Which agent a name means, and in which bottle it works: the operator's agents first, then those that come with the
 * product, then the repository's own. The one answer for whoever asks.
 */
export class Agents {
  constructor(
    private readonly manifests: Manifests,
    private readonly rules: RepositoryRules,
    private readonly world: NeedsWorld,
  ) {}

  /** Errors: `ManifestError`, `InvalidInputError` for manifests that are wrong; the forge's. */
  async find(request: AgentRequest): Promise<AgentAnswer> {
    const operators = await this.manifests.agent(request.name);
    if (operators !== undefined) return this.inBottle(operators, request, null);
    const brought = await this.broughtBy(request);
    if (brought === undefined) return refused(this.nowhere(request));
    const { agent, source } = brought;
    const outside = request.bottles.find((name) => !this.rules.bottles.includes(name));
    if (outside !== undefined)
      return refused(
        `bottle "${outside}" is not for the agents of a repository: FORGE_REPO_BOTTLES has ${this.rules.bottles.join(', ')}`,
      );
    return this.inBottle(agent, request, source);
  }

  /** The same, with wrong manifests among the reasons. Errors: the forge's. */
  async findOrRefuse(request: AgentRequest): Promise<AgentAnswer> {
    try {
      return await this.find(request);
    } catch (error) {
      if (error instanceof InvalidInputError)
        return refused(`the manifest of "${request.name}" is wrong: ${error.message}`);
      throw error;
    }
  }

  /** Whether the repository has a file for this agent that does not count, because the operator's comes first. */
  async isShadowed({ name, repo, forge }: AgentRequest): Promise<boolean> {
    if (!this.rules.allows(repo.owner, repo.repo)) return false;
    const commit = await forge.readDefaultHead();
    if (commit === undefined) return false;
    return (await forge.readFile(pathOf(name), commit, MAX_BYTES)).kind !== 'none';
  }

  /** `forge_wake` of the bottles. Of bottles that cannot be read: people with write access alone. */
  async wakeOf(bottleNames: readonly string[]): Promise<WakeRule> {
    try {
      const bottle = await this.manifests.bottle(bottleNames);
      return bottle === undefined ? WRITERS_ALONE : { people: bottle.forgeWake, checks: bottle.checksWake };
    } catch (error) {
      if (error instanceof InvalidInputError) return WRITERS_ALONE;
      throw error;
    }
  }

  private async broughtBy({
    name,
    repo,
    forge,
  }: AgentRequest): Promise<
    { readonly agent: AgentManifest; readonly source: RepositorySource } | undefined
  > {
    if (!this.rules.allows(repo.owner, repo.repo)) return undefined;
    const commit = await forge.readDefaultHead();
    if (commit === undefined) return undefined;
    const path = pathOf(name);
    const file = await forge.readFile(path, commit, MAX_BYTES);
    if (file.kind === 'none') return undefined;
    const where = `${repo.owner}/${repo.repo}@${commit.slice(0, 12)}:${path}`;
    if (file.kind === 'unfit') throw new InvalidInputError(`${where}:1: ${file.why}`);
    return { agent: this.rules.read(where, name, file.content), source: { path, commit } };
  }

  private async inBottle(
    agent: AgentManifest,
    { bottles: named, before = null }: AgentRequest,
    source: RepositorySource | null,
  ): Promise<AgentAnswer> {
    const bottleNames = named.length > 0 ? named : [agent.bottle];
    const bottle = await this.manifests.bottle(bottleNames);
    if (bottle !== undefined) {
      const { verdict } = agentNeeds(this.world, before === null ? agent : onlyOn(agent, before), bottle);
      if (verdict.kind === 'lacks') return refused(cannotRun(agent, before, verdict.why));
      return { kind: 'found', agent, provider: verdict.provider, bottleNames, bottle, source };
    }
    const [first = ''] = bottleNames;
    return refused(
      bottleNames.length > 1
        ? `one of the bottles ${bottleNames.join(', ')} does not exist: see bot-bottle bottles list`
        : `there is no bottle "${first}": add bottles/${first}.md below the orchestrator's home`,
    );
  }

  private nowhere({ name, repo }: AgentRequest): string {
    const elsewhere = this.rules.allows(repo.owner, repo.repo)
      ? `, or ${pathOf(name)} to the repository's default branch`
      : '';
    return `there is no agent "${name}": add agents/${name}.md below the orchestrator's home${elsewhere}`;
  }
}

function pathOf(name: string): string {
  return `${REPOSITORY_AGENTS}/${name}.md`;
}

/** A run's session, and the image that its bottle was made from, are of the provider that it began with. */
function onlyOn(agent: AgentManifest, provider: string): AgentManifest {
  return { ...agent, providers: agent.providers.filter((name) => name === provider) };
}

function cannotRun(agent: AgentManifest, before: string | null, why: string): string {
  if (before === null) return `the agent "${agent.name}" cannot run: ${why}`;
  if (agent.providers.includes(before))
    return `this run began with the provider ${before} and cannot go on: ${why}`;
  return (
    `this run began with the provider ${before}, which the agent "${agent.name}" no longer names ` +
    `(${agent.providers.join(', ')}): name it again, or destroy the run and trigger it anew`
  );
}

function refused(reason: string): AgentAnswer {
  return { kind: 'refused', reason };
}
