import type { Issue } from '../domain/issue.js';
import type { AgentManifest, BottleManifest } from '../domain/ports.js';
import { createAccess, type Access } from '../domain/access.js';
import { composePrompt } from '../domain/prompt.js';
import type { ForgeStateRow } from '../domain/rows.js';
import { branchOf } from '../domain/slug.js';
import { parseTriggerLabels } from '../domain/trigger.js';
import { workflowIdOf } from '../domain/issue.js';
import type { HomePorts } from './home-ports.js';
import type { PrepareTurnInput, PrepareTurnOutcome } from './inputs.js';
import { causeText, readEvents } from './prompt-of-turn.js';

/**
 * Before each turn: everything that lets the agent be driven is read again, its prompt is composed, and the rows that
 * say so are written. Repeating it gives the same turn.
 */
export async function prepareTurn(ports: HomePorts, input: PrepareTurnInput): Promise<PrepareTurnOutcome> {
  const { subject, turn, trigger } = input;
  const row = ports.database.forgeState.get(subject);
  if (turn === 1 && row?.slug !== input.slug && isStale(row, trigger.actAt)) {
    return refused('the trigger is not later than the end of the last run', true);
  }
  const forge = ports.forgeFor(subject);
  const access = createAccess(forge, ports.settings.access);
  // Up to three requests after one another on Gitea: asked beside the issue, not after it.
  if (trigger.operator === undefined) void access.mayTrigger(trigger.actor);
  const [issue, agent, events] = await Promise.all([
    forge.readIssue(subject.number),
    ports.manifests.agent(trigger.agent),
    readEvents(forge, input.references),
  ]);
  if (agent === undefined) return refused(`unknown agent "${trigger.agent}"`);
  const bottleNames = trigger.bottles.length > 0 ? trigger.bottles : [agent.bottle];
  const [bottle, objection] = await Promise.all([
    ports.manifests.bottle(bottleNames),
    objectionTo(ports, access, issue, input),
  ]);
  if (bottle === undefined) return refused(`unknown bottle "${bottleNames.join(', ')}"`);
  if (objection !== null) return refused(objection);
  const prompt = composePrompt({
    ...(await causeText(ports.blobs, input, issue, agent)),
    branch: branchOf(input.slug, subject.number),
    baseBranch: bottle.publish.base,
    pr: input.prNumber,
    events,
    forge: true,
  });
  const promptRef = await ports.blobs.put(prompt);
  writeRows(ports, input, { row, issue, agent, bottleNames, promptRef });
  const prepared = preparedTurn(ports, issue, agent, bottle, bottleNames, promptRef);
  return { kind: 'ready', prepared };
}

function refused(reason: string, stale = false): PrepareTurnOutcome {
  return { kind: 'refused', reason, stale };
}

function isStale(row: ForgeStateRow | undefined, actAt: number): boolean {
  return row !== undefined && row.destroyedAt !== null && actAt <= row.destroyedAt;
}

/** Label, member assignee and the rights of who completed the trigger, as the forge has them now. */
async function objectionTo(
  ports: HomePorts,
  access: Access,
  issue: Issue,
  input: PrepareTurnInput,
): Promise<string | null> {
  const { trigger, turn } = input;
  if (turn === 1 && issue.state !== 'open') return 'the issue is closed';
  if (trigger.operator !== undefined) return null;
  const verdict = parseTriggerLabels(issue.labels);
  if (verdict.kind === 'rejected') return verdict.reason;
  if (verdict.kind === 'none' || verdict.agent !== trigger.agent)
    return `the label of agent "${trigger.agent}" is gone`;
  const [memberships, actorMay] = await Promise.all([
    Promise.all(issue.assignees.map((user) => access.isMember(user.login))),
    access.mayTrigger(trigger.actor),
  ]);
  if (!memberships.includes(true)) return `no assignee is a member of ${ports.settings.access.org}`;
  if (!actorMay) return `${trigger.actor} may not drive an agent here: see FORGE_TRIGGER`;
  return null;
}

function preparedTurn(
  ports: HomePorts,
  issue: Issue,
  agent: AgentManifest,
  bottle: BottleManifest,
  bottleNames: readonly string[],
  promptRef: string,
): Extract<PrepareTurnOutcome, { kind: 'ready' }>['prepared'] {
  return {
    promptRef,
    provider: agent.provider,
    model: agent.model,
    image: bottle.image ?? ports.provider(agent.provider).image,
    env: bottle.env,
    limits: bottle.limits,
    gitUser: agent.gitUser,
    baseBranches: [issue.ref, bottle.publish.base ?? ''].filter((name) => name !== ''),
    bottleNames,
    allowPaths: bottle.publish.allowPaths,
    drafts: bottle.publish.drafts,
  };
}

interface TurnFacts {
  readonly row: ForgeStateRow | undefined;
  readonly issue: Issue;
  readonly agent: AgentManifest;
  readonly bottleNames: readonly string[];
  readonly promptRef: string;
}

function writeRows(ports: HomePorts, input: PrepareTurnInput, facts: TurnFacts): void {
  const { database, clock } = ports;
  const { subject, slug, turn, trigger } = input;
  const { issue, agent, bottleNames, promptRef } = facts;
  const now = clock.now();
  const previous = facts.row?.slug === slug ? facts.row : undefined;
  const { forge, owner, repo, number } = subject;
  database.transaction(() => {
    database.runs.appendRun({
      slug,
      workflowId: workflowIdOf(subject),
      subject: `${owner}/${repo}#${String(number)}`,
      agentName: agent.name,
      bottleNames,
      triggerActor: trigger.actor,
      triggerAt: trigger.actAt,
      createdAt: now,
    });
    const references = input.references.map((reference) => reference.key);
    database.runs.appendTurn({
      slug,
      turn,
      event: 'begun',
      at: now,
      detail: { cause: input.cause.kind, promptHash: promptRef, references },
    });
    database.forgeState.upsert({
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
      phase: turn === 1 ? 'launching' : 'rehydrating',
      reason: null,
      repoId: previous?.repoId ?? null,
      host: input.host,
      branch: branchOf(slug, number),
      issueUrl: issue.url,
      prUrl: previous?.prUrl ?? null,
      updatedAt: now,
      destroyedAt: null,
    });
  });
}
