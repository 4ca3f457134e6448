import type { ForgeUser, PullRequest, SubjectRef } from '../../domain/forge/issue.js';
import { workflowIdOf } from '../../domain/forge/issue.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import type { TextVersion } from '../../domain/forge/text-since-act.js';

/** What changed. Only ids: whatever matters is read again from the forge. */
export type HintCause =
  | { readonly kind: 'state' }
  /** Written, edited or deleted: reading it tells. */
  | { readonly kind: 'comment'; readonly commentId: number }
  /**
   * Gitea sends no review id: then `since` (ISO 8601, may be empty) is when the PR was last touched, the forge's clock.
   */
  | { readonly kind: 'review'; readonly reviewId: number | null; readonly since: string }
  | { readonly kind: 'push' }
  /** Something fails on this commit. A delivery does not say of which pull request it is the head. */
  | { readonly kind: 'checks'; readonly sha: string };

/** A delivery says no more than: look at this subject. */
export interface Hint {
  /** Of a commit alone its number is 0: see `withPullOfCommit`. */
  readonly subject: SubjectRef;
  readonly repoId: number;
  readonly isPull: boolean;
  /** Head branch of a PR from the repository itself; `null` for an issue and for a fork's PR. */
  readonly headRef: string | null;
  /** Head of a fork's PR. Who knows the bot can tell whether it is a run's: see `withOwnHead`. */
  readonly forkHead: ForkHead | null;
  /** Who acted; `null` when nobody can tell, as for what the reconciler found. */
  readonly sender: ForgeUser | null;
  readonly cause: HintCause;
  /** Assignees' logins when an agent label is on it: whose membership will be asked for. A guess to save a round trip. */
  readonly likelyAssignees: readonly string[];
  /** Of a change of state, where the forge counts its texts: the sender had this one before him. */
  readonly textVersion?: TextVersion | undefined;
}

export interface ForkHead {
  readonly ref: string;
  /** Id of the account whose fork it is. */
  readonly ownerId: number;
}

/** A branch of the bot's fork counts like one of the repository: nobody else pushes there uninvited. */
export function withOwnHead(hint: Hint, bot: ForgeUser): Hint {
  if (hint.forkHead?.ownerId !== bot.id) return hint;
  return { ...hint, headRef: hint.forkHead.ref };
}

/** A delivery about a commit is about the pull request of ours that has it for a head. */
export function withPullOfCommit(hint: Hint, pull: Pick<PullRequest, 'number' | 'head'>): Hint {
  return {
    ...hint,
    subject: { ...hint.subject, number: pull.number },
    isPull: true,
    headRef: pull.head.ref,
  };
}

export type ParsedDelivery =
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'unwanted'; readonly reason: string }
  | { readonly kind: 'malformed'; readonly reason: string };

/**
 * Deliveries with the same key are dispatched one after the other: the run's issue for a PR of a run, else the subject, or
 * the commit.
 */
export function orderKeyOf(hint: Hint): string {
  if (hint.cause.kind === 'checks' && hint.subject.number === 0) {
    const { forge, owner, repo } = hint.subject;
    return `${forge}:${owner}/${repo}@${hint.cause.sha}`;
  }
  const issue = hint.headRef === null ? undefined : issueOfBranch(hint.headRef);
  return workflowIdOf({ ...hint.subject, number: issue ?? hint.subject.number });
}
