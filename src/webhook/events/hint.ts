import { z } from 'zod';
import { FORGE_KINDS, workflowIdOf, type ForgeUser, type PullRequest } from '../../domain/forge/issue.js';
import { issueOfBranch } from '../../domain/run/slug.js';
import { commitId, forgeNumber, id, name, ownerName } from './forge-values.js';

/** What changed. Only ids: whatever matters is read again from the forge. */
const cause = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('state') }),
  /** Written, edited or deleted: reading it tells. */
  z.strictObject({ kind: z.literal('comment'), commentId: forgeNumber }),
  /**
   * Gitea sends no review id: then `since` (ISO 8601, may be empty) is when the PR was last touched, the forge's clock.
   */
  z.strictObject({ kind: z.literal('review'), reviewId: forgeNumber.nullable(), since: z.string() }),
  z.strictObject({ kind: z.literal('push') }),
  /** Something fails on this commit. A delivery does not say of which pull request it is the head. */
  z.strictObject({ kind: z.literal('checks'), sha: commitId }),
]);

const schema = z.strictObject({
  /** Of a commit alone its number is 0: see `withPullOfCommit`. */
  subject: z.strictObject({
    forge: z.enum(FORGE_KINDS),
    owner: ownerName,
    repo: name,
    number: z.literal(0).or(forgeNumber),
  }),
  repoId: id,
  isPull: z.boolean(),
  /** Head branch of a PR from the repository itself; `null` for an issue and for a fork's PR. */
  headRef: z.string().nullable(),
  /**
   * Head of a fork's PR, and the id of the account whose fork it is. Who knows the bot can tell whether it is a run's: see
   * `withOwnHead`.
   */
  forkHead: z.strictObject({ ref: z.string(), ownerId: id }).nullable(),
  /** Who acted; `null` when nobody can tell, as for what the reconciler found. */
  sender: z.strictObject({ id: z.int(), login: z.string() }).nullable(),
  cause,
  /** Assignees' logins when an agent label is on it: whose membership will be asked for. A guess to save a round trip. */
  likelyAssignees: z.array(z.string()),
  /** Of a change of state, where the forge counts its texts: the sender had this one before him. */
  textVersion: z.strictObject({ actorId: z.int(), at: z.number(), version: id }).optional(),
});

/** A delivery says no more than: look at this subject. */
export type Hint = Readonly<z.infer<typeof schema>>;

/** As the inbox keeps it: no titles and no texts are in it. */
export function storedHint(hint: Hint): string {
  return JSON.stringify(hint);
}

/** `undefined` for what `storedHint` has not written. */
export function readStoredHint(text: string): Hint | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
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
