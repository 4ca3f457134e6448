import type { Access } from '../domain/access.js';
import type { Trigger } from '../domain/events.js';
import type { Issue } from '../domain/issue.js';
import type { Forge } from '../domain/forge.js';
import type { AgentManifest } from '../domain/manifests.js';
import type { BlobStore } from '../domain/run-files.js';
import type { PromptCause as PromptCauseText, PromptTask } from '../domain/prompt-input.js';
import { textHash } from '../domain/reference-key.js';
import type { FreshSession } from '../domain/prompt-input.js';
import type { PrepareTurnInput } from './inputs.js';
import { sessionSummary, type SummarySources } from './session-summary.js';
import { sha256 } from './sha256.js';

export interface PromptSources {
  readonly blobs: BlobStore;
  readonly forge: Forge;
  readonly access: Access;
}

/** The machine's cause with its references read. */
export async function causeText(
  sources: PromptSources,
  { cause, trigger }: Pick<PrepareTurnInput, 'cause' | 'trigger'>,
  issue: Issue,
  agent: AgentManifest,
): Promise<PromptCauseText> {
  const { blobs } = sources;
  switch (cause.kind) {
    case 'first':
      return { kind: 'first', role: agent.prompt, task: await ownTask(sources, trigger, issue) };
    case 'wake':
    case 'retriggered':
    case 'limit_over':
      return cause;
    case 'operator':
      return {
        kind: 'operator',
        text: cause.promptRef === null ? null : await blobs.getText(cause.promptRef),
      };
    case 'nudge':
      if (cause.why !== 'uncommitted') return { kind: 'nudge', reason: cause };
      return {
        kind: 'nudge',
        reason: { why: 'uncommitted', paths: (await blobs.getText(cause.pathsRef)).split('\n') },
      };
  }
}

/** What a fresh session must be told that the cause of its turn does not tell; `null` when there is nothing. */
export async function freshSession(
  sources: PromptSources & SummarySources,
  input: Pick<PrepareTurnInput, 'session' | 'cause' | 'trigger' | 'slug' | 'subject' | 'prNumber'>,
  issue: Issue,
  agent: AgentManifest,
): Promise<FreshSession | null> {
  const { session, cause, trigger, slug, subject, prNumber } = input;
  if (session === 'resumed' || cause.kind === 'first') return null;
  const { number } = subject;
  const [task, summary] = await Promise.all([
    ownTask(sources, trigger, issue),
    sessionSummary(sources, { slug, number, prNumber }),
  ]);
  return { why: session, role: agent.prompt, task, ...summary };
}

/** The operator's own words, where they took the place of the issue's. */
async function ownTask(sources: PromptSources, trigger: Trigger, issue: Issue): Promise<PromptTask> {
  const promptRef = trigger.operator?.promptRef ?? null;
  if (promptRef === null) return taskOf(sources, trigger, issue);
  return { kind: 'local', prompt: await sources.blobs.getText(promptRef) };
}

async function taskOf({ forge, access }: PromptSources, trigger: Trigger, issue: Issue): Promise<PromptTask> {
  const { number, title, body, author, url } = issue;
  const [withheld, linkedPulls] = await Promise.all([
    isWithheld(access, trigger, issue),
    issue.isPull ? [] : forge.readLinkedPulls(number),
  ]);
  const kind = issue.isPull ? 'pull' : 'issue';
  return { kind, number, title, body, author: author.login, url, withheld, linkedPulls };
}

/**
 * An issue's text can be changed by its author and by whoever can write: when the author may not drive an agent, a
 * change since the trigger may be his, and nobody who may has approved of it.
 */
async function isWithheld(access: Access, trigger: Trigger, issue: Issue): Promise<boolean> {
  if (trigger.textHash === '') return false;
  const hash = textHash(issue, sha256);
  return hash !== trigger.textHash && !(await access.mayTrigger(issue.author.login));
}
