import type { Access } from '../../domain/forge/access.js';
import type { Trigger } from '../../domain/run/events.js';
import type { Issue } from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import type { AgentManifest } from '../../domain/manifest/manifests.js';
import type { BlobStore } from '../../domain/run/run-files.js';
import type { PromptCause as PromptCauseText, PromptTask } from '../../domain/prompt/prompt-input.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import { isLaterAct } from '../../domain/forge/trigger.js';
import { textHash } from '../../domain/forge/reference-key.js';
import type { FreshSession } from '../../domain/prompt/prompt-input.js';
import type { PrepareTurnInput } from '../ports/inputs.js';
import { sha256 } from '../base/sha256.js';

/** Each one's author is asked for: a request or three. */
const MAX_PULLS = 20;

export interface PromptSources {
  readonly blobs: BlobStore;
  readonly forge: Forge;
  readonly access: Access;
}

/** The machine's cause with its references read. */
export async function causeText(
  blobs: BlobStore,
  { cause }: Pick<PrepareTurnInput, 'cause'>,
  agent: AgentManifest,
  task: () => Promise<PromptTask>,
): Promise<PromptCauseText> {
  if (cause.kind !== 'interrupted') return uninterrupted(blobs, cause, agent, task);
  return { kind: 'interrupted', of: await uninterrupted(blobs, cause.of, agent, task) };
}

async function uninterrupted(
  blobs: BlobStore,
  cause: Exclude<PrepareTurnInput['cause'], { kind: 'interrupted' }>,
  agent: AgentManifest,
  task: () => Promise<PromptTask>,
): Promise<Exclude<PromptCauseText, { kind: 'interrupted' }>> {
  switch (cause.kind) {
    case 'first':
      return { kind: 'first', role: agent.prompt, task: await task() };
    case 'wake':
    case 'retriggered':
    case 'limit_over':
      return cause;
    case 'operator':
      return {
        kind: 'operator',
        text: cause.promptRef === null ? null : await blobs.getText(cause.promptRef),
      };
    case 'decision':
      return {
        kind: 'decision',
        decisions: await Promise.all(
          cause.decisions.map(async ({ id, tool, status, notesRef, offerRef }) => ({
            proposalId: id,
            tool,
            status,
            notes: notesRef === null ? '' : await blobs.getText(notesRef),
            ...(offerRef !== undefined && { unasked: await addedBy(blobs, offerRef) }),
          })),
        ),
      };
    case 'nudge':
      if (cause.why === 'refused') return { kind: 'nudge', reason: cause };
      if (cause.pathsRef === undefined) return { kind: 'nudge', reason: { why: 'not_done' } };
      return {
        kind: 'nudge',
        reason: { why: cause.why, paths: (await blobs.getText(cause.pathsRef)).split('\n') },
      };
  }
}

/** What a fresh session must be told that the cause of its turn does not tell; `null` when there is nothing. */
export async function freshSession(
  { session, cause }: Pick<PrepareTurnInput, 'session' | 'cause'>,
  agent: AgentManifest,
  readTask: () => Promise<PromptTask>,
  readSummary: () => Promise<Pick<FreshSession, 'summaries' | 'pull' | 'comments'>>,
): Promise<FreshSession | null> {
  if (session === 'resumed' || cause.kind === 'first') return null;
  const [task, summary] = await Promise.all([readTask(), readSummary()]);
  return { why: session, role: agent.prompt, task, ...summary };
}

/** The operator's own words, where they took the place of the issue's. */
export async function ownTask(sources: PromptSources, trigger: Trigger, issue: Issue): Promise<PromptTask> {
  const promptRef = trigger.operator?.promptRef ?? null;
  if (promptRef === null) return taskOf(sources, trigger, issue);
  return { kind: 'local', prompt: await sources.blobs.getText(promptRef) };
}

async function taskOf(sources: PromptSources, trigger: Trigger, issue: Issue): Promise<PromptTask> {
  const { number, title, body, author, url } = issue;
  const [withheld, linkedPulls] = await Promise.all([
    isTextChanged(sources.access, trigger, issue),
    issue.isPull ? [] : pullsNaming(sources, number),
  ]);
  const kind = issue.isPull ? 'pull' : 'issue';
  return { kind, number, title, body, author: author.login, url, withheld, linkedPulls };
}

/** Anybody can open a pull request that names an issue: of those of strangers the number alone is told. */
async function pullsNaming(
  { forge, access }: PromptSources,
  number: number,
): Promise<Extract<PromptTask, { kind: 'issue' | 'pull' }>['linkedPulls']> {
  const pulls = (await forge.readLinkedPulls(number)).slice(0, MAX_PULLS);
  const known = await Promise.all(pulls.map(({ author }) => access.mayWake(author)));
  return pulls.map(({ number: pull, author, title }, index) => ({
    number: pull,
    by: known[index] === true ? { author, title } : null,
  }));
}

/**
 * An issue's text can be changed by its author and by whoever can write: when the author may not drive an agent, a
 * change since the trigger may be his, and nobody who may has approved of it.
 */
export async function isTextChanged(access: Access, trigger: Trigger, issue: Issue): Promise<boolean> {
  if (trigger.textHash === '') return false;
  const hash = textHash(issue, sha256);
  return hash !== trigger.textHash && !(await access.mayTrigger(issue.author.login));
}

/**
 * Base branches stand in the timeline with who chose them. So one that was there when the agent was asked for counts on, also
 * where the description was changed since, as agents do it.
 */
export async function isRefChanged(
  { forge, access }: Pick<PromptSources, 'forge' | 'access'>,
  trigger: Trigger,
  issue: Issue,
): Promise<boolean> {
  const timeline = await forge.readTimeline(issue.number);
  const last = timeline.findLast(
    ({ kind, what, at, id }) =>
      kind === 'edited' && what === 'ref' && isLaterAct({ actAt: Date.parse(at), actId: id }, trigger),
  );
  return last !== undefined && !(await access.mayTrigger(last.actor.login));
}

/** Lines of the allowlist. */
async function addedBy(blobs: Pick<BlobStore, 'getText'>, ref: string): Promise<readonly string[]> {
  const { change } = readShownProposal(await blobs.getText(ref));
  return change.kind === 'allowlist' ? change.add : [];
}
