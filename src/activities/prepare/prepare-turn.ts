import type { PrepareTurnOutcome, Trigger } from '../../domain/run/events.js';
import { branchNamed } from '../../domain/workspace/branch-name.js';
import { isNotFound } from '../../domain/base/errors.js';
import { isLocal, openingOf, type Issue } from '../../domain/forge/issue.js';
import { baseObjection } from '../../domain/run/unfit-branches.js';
import type { PromptTask } from '../../domain/prompt/prompt-input.js';
import type { BottleManifest } from '../../domain/manifest/manifests.js';
import { createAccess, type Access } from '../../domain/forge/access.js';
import type { Forge } from '../../domain/forge/forge.js';
import { composePrompt } from '../../domain/prompt/prompt.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import { FORGE_CLOCK_GRAIN_MS, isLaterAct, parseTriggerLabels } from '../../domain/forge/trigger.js';
import { findAgent } from './find-agent.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnInput } from '../ports/inputs.js';
import { prepareLocalTurn } from './prepare-local-turn.js';
import { preparedTurn } from './prepared-turn.js';
import { causeText, freshSession, isRefChanged, isTextChanged, ownTask } from './prompt-of-turn.js';
import { readersOf } from './readers.js';
import { readEvents } from './read-events.js';
import { sessionSummary } from './session-summary.js';
import { movedTo } from './where-it-is.js';
import { workBranch, type WorkBranch } from '../publish/work-branch.js';

/**
 * Before each turn: everything that lets the agent be driven is read again, its prompt is composed, and the rows that
 * say so are written. Repeating it gives the same turn.
 */
export async function prepareTurn(ports: HomePorts, input: PrepareTurnInput): Promise<PrepareTurnOutcome> {
  if (isLocal(input.subject)) return prepareLocalTurn(ports, input);
  try {
    return await prepareHere(ports, input);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const place = await movedTo(ports.forgeFor, input);
  if (place !== undefined) return { kind: 'moved', place };
  // The forge answers by now: what it still does not find is gone, and no proxy said so while it started.
  try {
    return await prepareHere(ports, input);
  } catch (error) {
    // Nobody would hear of a run without a row that its issue is gone: it ends as if it had not begun.
    if (isNotFound(error) && input.turn === 1) return refused('the issue is gone from the forge');
    throw error;
  }
}

async function prepareHere(ports: HomePorts, input: PrepareTurnInput): Promise<PrepareTurnOutcome> {
  const { subject, turn, trigger } = input;
  // By the run first: the repository may have another name than its row.
  const { forgeState } = ports.database;
  const row = (await forgeState.ofRun(input.slug)) ?? (await forgeState.get(subject));
  if (turn === 1 && row?.slug !== input.slug && (await isStale(ports, row, trigger))) {
    return refused('the trigger is not later than the end of the last run');
  }
  const forge = ports.forgeFor(subject);
  const reading = forge.readIssue(subject.number);
  // Waited for after the manifests, which may be first to fail.
  reading.catch(() => undefined);
  const request = { name: trigger.agent, bottles: trigger.bottles, repo: subject, forge };
  const found = await findAgent(ports, input, request);
  if (found.kind === 'refused') return refused(found.reason);
  const { agent, bottle, source } = found;
  const { access: settings } = ports.settings;
  const audience = { ...settings, wake: bottle.forgeWake ?? settings.wake };
  const access = createAccess(forge, audience);
  // Up to three requests after one another on Gitea: asked beside the issue, not after it.
  if (trigger.operator === undefined) void access.mayTrigger(trigger.actor);
  const [issue, readers, read, shadowed] = await Promise.all([
    reading,
    readersOf(forge, audience, bottle),
    readEvents(forge, access, input.references),
    turn === 1 && source === null ? ports.agents.isShadowed(request) : false,
  ]);
  const sources = { blobs: ports.blobs, database: ports.database, forge, access };
  const task = (): Promise<PromptTask> => ownTask(sources, trigger, issue);
  const { slug, prNumber, references } = input;
  const run = { slug, number: subject.number, prNumber, references };
  const told = Promise.all([
    causeText(ports.blobs, input, agent, task),
    freshSession(input, agent, task, () => sessionSummary(sources, run)),
  ]);
  // What refuses the turn comes first.
  told.catch(() => undefined);
  const [objection, work] = await Promise.all([
    objectionTo(ports, { forge, access }, issue, input),
    workBranch(forge, input, issue, row, ports.settings.publish),
  ]);
  if (objection !== null) return refused(objection);
  const isChanged = await isTextChanged(access, trigger, issue);
  if (isChanged && turn === 1) return refused(textChanged(issue));
  if (work.kind === 'refused') return refused(work.reason);
  const unusable = turn === 1 ? baseObjection(issue) : undefined;
  if (unusable !== undefined) return refused(unusable);
  const { events, dropped, readKeys } = read;
  const { branch } = work;
  if (input.cause.kind === 'wake' && events.length === 0 && input.omitted === 0)
    return { kind: 'nothing_left' };
  const isOthersRef = isChanged && (await isRefChanged(sources, trigger, issue));
  const bases = baseBranches(isOthersRef ? '' : issue.ref, bottle, work);
  const [cause, fresh] = await told;
  const prompt = composePrompt({
    ...cause,
    fresh,
    branch,
    baseBranch: bases[0] ?? null,
    pr: input.prNumber,
    events,
    omitted: input.omitted,
    limit: input.limit,
    refusal: input.refusal,
    moved: input.moved,
    forge: true,
  });
  if (shadowed)
    ports.log.warn(
      { slug: input.slug, agent: agent.name },
      'the operator’s agent counts, not the repository’s',
    );
  const facts = { row, issueUrl: issue.url, dropped, shadowed, readers };
  return preparedTurn(ports, input, { ...found, ...facts, prompt, branch, readKeys, baseBranches: bases });
}

/** Best first: where the pull request goes, else what the issue names, else the manifest's. */
function baseBranches(
  named: string,
  bottle: BottleManifest,
  work: Extract<WorkBranch, { kind: 'branch' }>,
): string[] {
  // Whoever writes an issue may write anything there, and the prompt names it.
  const base = branchNamed(named) ?? '';
  const ofPull = branchNamed(work.pull?.base.ref ?? '') ?? '';
  return [ofPull, base, bottle.publish.base ?? ''].filter((name) => name !== '');
}

function textChanged({ number, author }: Issue): string {
  const who = `${author.login}, who may not start an agent here, can do that`;
  return `the text of #${String(number)} was changed after the agent was asked for, and ${who}: read it again, then ask again`;
}

function refused(reason: string): PrepareTurnOutcome {
  return { kind: 'refused', reason };
}

/** The trigger is not later than the one of the last life, or than its end. */
async function isStale(ports: HomePorts, row: ForgeStateRow | undefined, trigger: Trigger): Promise<boolean> {
  if (row === undefined || row.destroyedAt === null) return false;
  const before = await ports.database.runs.run(row.slug);
  if (before === undefined) return trigger.actAt <= row.destroyedAt;
  const order = { actAt: before.triggerAt, actId: before.triggerActId };
  return !isLaterAct(trigger, order) || trigger.actAt + FORGE_CLOCK_GRAIN_MS <= row.destroyedAt;
}

interface Asked {
  readonly forge: Pick<Forge, 'readTimeline'>;
  readonly access: Access;
}

/** Label, member assignee and the rights of who completed the trigger, as the forge has them now. */
async function objectionTo(
  ports: HomePorts,
  { forge, access }: Asked,
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
    mayActorDrive({ forge, access }, issue, trigger),
  ]);
  if (!memberships.includes(true)) return `no assignee is a member of ${ports.settings.access.org}`;
  if (!actorMay) return `${trigger.actor} may not drive an agent here: see FORGE_TRIGGER`;
  return null;
}

/** The account may have another name by now, which the forge has at the act. */
async function mayActorDrive(
  { forge, access }: Asked,
  issue: Issue,
  { actor, actId }: Trigger,
): Promise<boolean> {
  if (await access.mayTrigger(actor)) return true;
  const acts = [openingOf(issue), ...(await forge.readTimeline(issue.number))];
  const now = acts.find(({ id }) => id === actId)?.actor.login;
  return now !== undefined && access.mayTrigger(now);
}
