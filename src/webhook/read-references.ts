import { createHash } from 'node:crypto';
import { isNotFound } from '../domain/errors.js';
import type { WakeReference } from '../domain/events.js';
import type { Comment, ForgeUser, Review, SubjectRef } from '../domain/issue.js';
import type { Forge } from '../domain/ports.js';
import type { Access } from '../domain/access.js';
import type { Hint } from './parse-delivery.js';

export interface ReferenceWorld {
  readonly forge: Forge;
  readonly access: Access;
  readonly bot: ForgeUser;
  /** `FORGE_WAKE_ON` */
  readonly wakeOn: 'every' | 'mention';
}

export type ReferencesRead =
  | { readonly kind: 'references'; readonly references: readonly WakeReference[] }
  | { readonly kind: 'own' | 'gone' | 'not_allowed' | 'not_mentioned' };

/** A review is looked for among those submitted from this long before the PR was last touched, milliseconds. */
const REVIEW_WINDOW_MS = 60_000;

/**
 * What a comment, review or push becomes: references with ids and hashes, no text. Read fresh; author and acting person
 * must both be allowed to wake an agent, and the bot's own doings never are.
 * Errors: `ForgeHttpError` other than 404.
 */
export async function readReferences(
  world: ReferenceWorld,
  subject: SubjectRef,
  hint: Hint,
): Promise<ReferencesRead> {
  if (hint.sender.id === world.bot.id) return { kind: 'own' };
  try {
    const [allowed, found] = await Promise.all([
      world.access.mayWake(hint.sender.login),
      find(world.forge, hint),
    ]);
    if (!allowed) return { kind: 'not_allowed' };
    const others = found.filter((item) => item.author.id !== world.bot.id);
    if (others.length === 0) return { kind: found.length === 0 ? 'gone' : 'own' };
    const admitted = await Promise.all(others.map((item) => world.access.mayWake(item.author.login)));
    const allowedItems = others.filter((_item, index) => admitted[index] === true);
    if (allowedItems.length === 0) return { kind: 'not_allowed' };
    const wanted = world.wakeOn === 'every' ? allowedItems : await mentioning(world, subject, allowedItems);
    if (wanted.length === 0) return { kind: 'not_mentioned' };
    return { kind: 'references', references: wanted.map((item) => item.reference) };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'gone' };
    throw error;
  }
}

/** The same body of the same comment is the same thing, whoever reports it. */
export function commentKey(comment: Pick<Comment, 'id' | 'body'>): string {
  return `comment:${String(comment.id)}:${createHash('sha256').update(comment.body).digest('hex').slice(0, 32)}`;
}

interface Found {
  readonly author: ForgeUser;
  /** Text that may mention somebody; `null` for a push, which wakes without a mention. */
  readonly text: string | null;
  readonly reference: WakeReference;
}

async function find(forge: Forge, hint: Hint): Promise<Found[]> {
  const { cause } = hint;
  const { number } = hint.subject;
  switch (cause.kind) {
    case 'state':
      return [];
    case 'comment': {
      const comment = await forge.readComment(cause.commentId);
      const { id, author, body } = comment;
      const at = Date.parse(comment.updatedAt);
      const reference = {
        key: commentKey(comment),
        kind: 'comment',
        number,
        id,
        sha: '',
        author: author.login,
        at,
      } as const;
      return [{ author, text: body, reference }];
    }
    case 'review':
      return reviewsOf(await forge.readReviews(number), hint, cause.since).map((review) =>
        reviewFound(review, number),
      );
    case 'push': {
      const pull = await forge.readPr(number);
      const { sha } = pull.head;
      const { sender } = hint;
      const at = Date.parse(pull.updatedAt);
      const reference = {
        key: `push:${sha}`,
        kind: 'push',
        number,
        id: 0,
        sha,
        author: sender.login,
        at,
      } as const;
      return [{ author: sender, text: null, reference }];
    }
  }
}

/** The sender's reviews since the PR was last touched; the newest when there is none. Twice the same is no harm. */
function reviewsOf(reviews: readonly Review[], hint: Hint, since: string): Review[] {
  const own = reviews.filter((review) => review.author.id === hint.sender.id);
  const from = Date.parse(since) - REVIEW_WINDOW_MS;
  const recent = own.filter((review) => Date.parse(review.submittedAt) >= from);
  return recent.length > 0 ? recent : own.slice(-1);
}

function reviewFound(review: Review, number: number): Found {
  const { id, author } = review;
  const at = Date.parse(review.submittedAt);
  const text = [review.body, ...review.comments.map((comment) => comment.body)].join('\n');
  const reference = {
    key: `review:${String(id)}`,
    kind: 'review',
    number,
    id,
    sha: '',
    author: author.login,
    at,
  } as const;
  return { author, text, reference };
}

/** `FORGE_WAKE_ON=mention`: what @-mentions an assignee of the run's subject who is a member of the agent org. */
async function mentioning(
  world: ReferenceWorld,
  subject: SubjectRef,
  items: readonly Found[],
): Promise<Found[]> {
  const { assignees } = await world.forge.readIssue(subject.number);
  const memberships = await Promise.all(assignees.map((user) => world.access.isMember(user.login)));
  const members = new Set(
    assignees.filter((_user, index) => memberships[index] === true).map((user) => user.login.toLowerCase()),
  );
  return items.filter((item) => {
    if (item.text === null) return true;
    const mentions = item.text.matchAll(/(?<![A-Za-z0-9_@/.-])@([A-Za-z0-9_.-]*[A-Za-z0-9_])/g);
    return [...mentions].some((mention) => members.has((mention[1] ?? '').toLowerCase()));
  });
}
