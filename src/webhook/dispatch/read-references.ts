import type { Access } from '../../domain/forge/access.js';
import { isNotFound, unlessNotFound } from '../../domain/base/errors.js';
import type { WakeReference } from '../../domain/run/events.js';
import type { Comment, ForgeUser, Review } from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import { readFailedChecks } from '../../domain/forge/failed-checks.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import { checksKey, commentKey, pushKey, reviewKey } from '../../domain/forge/reference-key.js';
import type { Hint } from '../events/hint.js';
import { mentionsMember } from './mentions.js';
import { sha256 } from '../sha256.js';

export interface ReferenceWorld {
  readonly forge: Forge;
  readonly access: Access;
  /** Failed checks wake the run. */
  readonly checks: boolean;
  readonly bot: ForgeUser;
  /** `FORGE_WAKE_ON` */
  readonly wakeOn: 'every' | 'mention';
  /** `FORGE_WAKE_IGNORE`: logins in lower case, whoever has which rights. */
  readonly ignored: ReadonlySet<string>;
}

/** What became of one hint. `withdrawn`: the comment is gone from the forge. */
export type ReferenceVerdict =
  | { readonly kind: 'references'; readonly references: readonly WakeReference[] }
  | { readonly kind: 'withdrawn'; readonly commentId: number }
  | { readonly kind: 'own' | 'gone' | 'not_allowed' | 'not_mentioned' | 'ignored' | 'not_failing' };

/** A review is looked for among those submitted from this long before the PR was last touched, milliseconds. */
const REVIEW_WINDOW_MS = 60_000;
/** Requests to the forge at once for one run. */
const READS_AT_ONCE = 8;

/**
 * What comments, reviews and pushes become: references with ids and hashes, no text. Read fresh; author and acting
 * person must both be allowed to wake an agent, and the bot's own doings and those of ignored accounts never are.
 * Answers a verdict for each hint, in order. Errors: `ForgeHttpError` other than 404.
 * @param subjectNumber the run's own subject, whose assignees a mention is looked for
 */
export function readReferences(
  world: ReferenceWorld,
  subjectNumber: number,
  hints: readonly Hint[],
): Promise<ReferenceVerdict[]> {
  const ofChecks = new Map<string, Promise<ReferenceVerdict>>();
  return mapLimited(hints, READS_AT_ONCE, (hint) => {
    if (hint.cause.kind !== 'checks') return judge(world, subjectNumber, hint);
    // A red pipeline is many deliveries about one commit.
    const name = `${String(hint.subject.number)} ${hint.cause.sha}`;
    const judged = ofChecks.get(name) ?? judgeChecks(world, hint.subject.number, hint.cause.sha);
    ofChecks.set(name, judged);
    return judged;
  });
}

/** Whose head it is, the run itself knows. A status has no author who could be asked for: who may set one, the forge says. */
async function judgeChecks(
  { forge, checks }: ReferenceWorld,
  number: number,
  sha: string,
): Promise<ReferenceVerdict> {
  if (!checks) return { kind: 'not_allowed' };
  try {
    const pull = await forge.readPr(number);
    if (pull.state !== 'open' || pull.head.sha !== sha) return { kind: 'gone' };
    const failed = await readFailedChecks(forge, pull);
    if (failed.length === 0) return { kind: 'not_failing' };
    const key = checksKey(sha, failed, sha256);
    const at = Date.parse(pull.updatedAt);
    return { kind: 'references', references: [{ key, kind: 'checks', number, id: 0, sha, author: '', at }] };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'gone' };
    throw error;
  }
}

async function judge(world: ReferenceWorld, subjectNumber: number, hint: Hint): Promise<ReferenceVerdict> {
  const { access, bot, forge } = world;
  const { sender } = hint;
  if (sender?.id === bot.id) return { kind: 'own' };
  // Beside the read, not after it.
  if (sender !== null) void access.mayWake(sender.login);
  const found = await unlessNotFound(find(forge, hint));
  // Whoever took it back, it is not there to be read.
  if (found === undefined && hint.cause.kind === 'comment')
    return { kind: 'withdrawn', commentId: hint.cause.commentId };
  if (found === undefined || found.length === 0) return { kind: 'gone' };
  const others = found.filter((item) => item.author.id !== bot.id);
  if (others.length === 0) return { kind: 'own' };
  const heard = others.filter((item) => !isIgnored(world, item.author) && !isIgnored(world, sender));
  if (heard.length === 0) return { kind: 'ignored' };
  if (sender !== null && !(await access.mayWake(sender.login))) return { kind: 'not_allowed' };
  const admitted = await Promise.all(heard.map((item) => access.mayWake(item.author.login)));
  const allowed = heard.filter((_item, index) => admitted[index] === true);
  if (allowed.length === 0) return { kind: 'not_allowed' };
  const wanted = world.wakeOn === 'every' ? allowed : await mentioning(world, subjectNumber, allowed);
  if (wanted.length === 0) return { kind: 'not_mentioned' };
  return { kind: 'references', references: wanted.map((item) => item.reference) };
}

interface Found {
  readonly author: ForgeUser;
  /** Text that may mention somebody; `null` for a push, which wakes without a mention. */
  readonly text: string | null;
  readonly reference: WakeReference;
}

async function find(forge: Forge, hint: Hint): Promise<Found[]> {
  const { cause, subject, sender } = hint;
  const { number } = subject;
  switch (cause.kind) {
    case 'state':
    case 'checks':
      return [];
    case 'comment':
      return [await commentFound(forge, hint, cause.commentId)];
    case 'review':
      return reviewsOf(await forge.readReviews(number), hint, cause).map((review) =>
        reviewFound(review, number),
      );
    case 'push': {
      const pull = await forge.readPr(number);
      const { sha } = pull.head;
      const author = sender ?? (await pusherOf(forge, number, sha));
      if (author === undefined) return [];
      const at = Date.parse(pull.updatedAt);
      const key = pushKey(sha);
      const reference = { key, kind: 'push', number, id: 0, sha, author: author.login, at } as const;
      return [{ author, text: null, reference }];
    }
  }
}

/** Gitea tells of an answer in a thread on a line as of a comment, and has it among the reviews alone. */
async function commentFound(forge: Forge, hint: Hint, commentId: number): Promise<Found> {
  const { number } = hint.subject;
  try {
    return writtenFound('comment', await forge.readComment(commentId), number);
  } catch (error) {
    if (!isNotFound(error) || !hint.isPull) throw error;
    const reviews = await forge.readReviews(number);
    const inline = reviews.flatMap((review) => review.comments).find((one) => one.id === commentId);
    if (inline === undefined) throw error;
    return writtenFound('inline', inline, number);
  }
}

function writtenFound(
  kind: 'comment' | 'inline',
  comment: Pick<Comment, 'id' | 'author' | 'body' | 'updatedAt'>,
  number: number,
): Found {
  const { id, author, body } = comment;
  const at = Date.parse(comment.updatedAt);
  const reference = { key: commentKey(comment, sha256), kind, number, id, sha: '', author: author.login, at };
  return { author, text: body, reference };
}

/** Who brought the pull request to this head, as its timeline has it. */
async function pusherOf(forge: Forge, number: number, sha: string): Promise<ForgeUser | undefined> {
  const pushes = (await forge.readTimeline(number)).filter((act) => act.kind === 'pushed');
  return pushes.findLast((act) => act.what === sha)?.actor;
}

/** The one that is meant; else the sender's since the PR was last touched, or the newest. Twice the same is no harm. */
function reviewsOf(
  reviews: readonly Review[],
  { sender }: Hint,
  cause: Extract<Hint['cause'], { kind: 'review' }>,
): Review[] {
  if (cause.reviewId !== null) return reviews.filter((review) => review.id === cause.reviewId);
  const own = reviews.filter((review) => sender === null || review.author.id === sender.id);
  const from = Date.parse(cause.since) - REVIEW_WINDOW_MS;
  const recent = own.filter((review) => Date.parse(review.submittedAt) >= from);
  return recent.length > 0 ? recent : own.slice(-1);
}

function reviewFound(review: Review, number: number): Found {
  const { id, author } = review;
  const at = Date.parse(review.submittedAt);
  const text = [review.body, ...review.comments.map((comment) => comment.body)].join('\n');
  const key = reviewKey(id);
  const reference = { key, kind: 'review', number, id, sha: '', author: author.login, at } as const;
  return { author, text, reference };
}

function isIgnored(world: ReferenceWorld, user: ForgeUser | null): boolean {
  return user !== null && world.ignored.has(user.login.toLowerCase());
}

/** `FORGE_WAKE_ON=mention`: what @-mentions an assignee of the run's subject who is a member of the agent org. */
async function mentioning(
  { forge, access }: ReferenceWorld,
  subjectNumber: number,
  items: readonly Found[],
): Promise<Found[]> {
  const { assignees } = await forge.readIssue(subjectNumber);
  const memberships = await Promise.all(assignees.map((user) => access.isMember(user.login)));
  const members = assignees
    .filter((_user, index) => memberships[index] === true)
    .map((user) => user.login.toLowerCase());
  return items.filter((item) => item.text === null || mentionsMember(item.text, members));
}
