import { isNotFound } from '../domain/errors.js';
import type { WakeReference } from '../domain/events.js';
import type { Issue } from '../domain/issue.js';
import type { AgentManifest, BlobStore, Forge } from '../domain/ports.js';
import type { PromptCause as PromptCauseText, PromptEvent } from '../domain/prompt-input.js';
import type { PrepareTurnInput } from './inputs.js';

/** References become text, read fresh; what is gone from the forge by now is left out. In the order of the references. */
export async function readEvents(forge: Forge, references: readonly WakeReference[]): Promise<PromptEvent[]> {
  const found = await Promise.all(references.map((reference) => readEvent(forge, reference)));
  return found.filter((event) => event !== undefined);
}

async function readEvent(forge: Forge, reference: WakeReference): Promise<PromptEvent | undefined> {
  const { number, author } = reference;
  try {
    switch (reference.kind) {
      case 'comment': {
        const comment = await forge.readComment(reference.id);
        return { kind: 'comment', number, author, at: comment.createdAt, body: comment.body };
      }
      case 'review': {
        const reviews = await forge.readReviews(number);
        const review = reviews.find((one) => one.id === reference.id);
        if (review === undefined) return undefined;
        const { state, body, comments, submittedAt: at } = review;
        return { kind: 'review', number, author, at, state, body, comments };
      }
      case 'push':
        return { kind: 'push', number, author, at: new Date(reference.at).toISOString(), sha: reference.sha };
    }
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The machine's cause with its references read. */
export async function causeText(
  blobs: BlobStore,
  { cause, trigger }: Pick<PrepareTurnInput, 'cause' | 'trigger'>,
  issue: Issue,
  agent: AgentManifest,
): Promise<PromptCauseText> {
  switch (cause.kind) {
    case 'first': {
      const promptRef = trigger.operator?.promptRef ?? null;
      if (promptRef !== null)
        return {
          kind: 'first',
          role: agent.prompt,
          task: { kind: 'local', prompt: await blobs.getText(promptRef) },
        };
      const { number, title, body, author, url } = issue;
      return {
        kind: 'first',
        role: agent.prompt,
        task: { kind: issue.isPull ? 'pull' : 'issue', number, title, body, author: author.login, url },
      };
    }
    case 'wake':
    case 'retriggered':
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
