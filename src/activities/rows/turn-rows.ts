import type { RepositorySource } from '../../domain/agent/agents.js';
import type { AgentManifest } from '../../domain/manifest/manifests.js';
import type { Stores } from '../../domain/run/stores.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnInput } from '../ports/inputs.js';

export interface TurnFacts {
  readonly row: ForgeStateRow | undefined;
  /** Address of the issue's page; of a run without one, what its commits come from. */
  readonly issueUrl: string;
  readonly agent: Pick<AgentManifest, 'name' | 'gitUser'>;
  readonly provider: string;
  readonly bottleNames: readonly string[];
  readonly promptRef: string;
  readonly branch: string;
  /** Keys of references that were gone, or whose authors may no longer drive an agent. */
  readonly dropped: readonly string[];
  /** The repository's file, when it is the repository's agent. */
  readonly source: RepositorySource | null;
  /** The repository brings an agent of that name too, which does not count. */
  readonly shadowed: boolean;
}

/** The rows that say that a turn begins: the run's (once), the turn's and the issue's state, in one transaction. */
export async function writeTurnRows(
  ports: HomePorts,
  input: PrepareTurnInput,
  facts: TurnFacts,
): Promise<void> {
  const { database, clock } = ports;
  const { subject, slug, turn, trigger, workflowId } = input;
  const { issueUrl, agent, provider, bottleNames, promptRef, branch, dropped, source, shadowed } = facts;
  const now = clock.now();
  const previous = facts.row?.slug === slug ? facts.row : undefined;
  const { forge, owner, repo, number } = subject;
  await database.transaction(async (stores) => {
    await stores.runs.appendRun({
      slug,
      workflowId,
      subject: `${owner}/${repo}#${String(number)}`,
      agentName: agent.name,
      bottleNames,
      triggerActor: trigger.actor,
      triggerAt: trigger.actAt,
      triggerActId: trigger.actId,
      createdAt: now,
    });
    const references = input.references.map((reference) => reference.key);
    const { omitted } = input;
    await stores.runs.appendTurn({
      slug,
      turn,
      event: 'begun',
      at: now,
      detail: {
        cause: input.cause.kind,
        promptHash: promptRef,
        provider,
        providerVersion: ports.provider(provider).version,
        references,
        dropped,
        omitted,
        ...(source === null ? {} : { repositoryAgent: source }),
        ...(shadowed ? { repositoryAgentShadowed: true } : {}),
      },
    });
    await placeRow(stores, {
      forge,
      owner,
      repo,
      issueNumber: number,
      slug,
      agentName: agent.name,
      bottleNames,
      backendName: 'docker',
      agentGitUser: `${agent.gitUser.name} <${agent.gitUser.email}>`,
      prNumber: input.prNumber,
      status: 'running',
      lastCheckinAt: previous?.lastCheckinAt ?? null,
      workflowId,
      phase: turn === 1 ? 'launching' : 'rehydrating',
      reason: null,
      repoId: input.repoId,
      host: input.host,
      branch,
      issueUrl,
      prUrl: previous?.prUrl ?? null,
      updatedAt: now,
      destroyedAt: null,
      ...(input.epoch === undefined ? {} : { epoch: input.epoch }),
    });
  });
}

/** Writes a run's state row; when its repository was renamed or transferred, the row under the old name goes. */
export async function placeRow(
  { forgeState }: Pick<Stores, 'forgeState'>,
  row: ForgeStateRow,
): Promise<void> {
  const old = await forgeState.ofRun(row.slug);
  if (old !== undefined && (old.owner !== row.owner || old.repo !== row.repo)) {
    const { forge, owner, repo, issueNumber: number } = old;
    await forgeState.delete({ forge, owner, repo, number });
  }
  await forgeState.upsert(row);
}
