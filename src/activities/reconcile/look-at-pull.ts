import { unlessNotFound } from '../../domain/base/errors.js';
import type { FeedComment, FeedPull, FeedReview, ForgeFeed } from '../../domain/forge/forge-feed.js';
import { isHeadOfOurs } from '../../domain/forge/issue.js';
import type { Place } from '../../domain/forge/issue.js';
import type { WatchedRun } from '../../domain/upkeep/reconcile.js';
import {
  checksFindings,
  commentFindings,
  goneFinding,
  headRefOf,
  pushFinding,
  reviewFindings,
  rowsOf,
  stateFinding,
} from './plan-findings.js';
import type { KnownRun } from './plan-findings.js';
import type { PostBox } from './post-box.js';

/** Beyond the first page of reviews: the newest. */
const LAST_PAGES = 3;
/** Reviews whose remarks are read in one look: a look must fit into the least budget. The others wait for the next. */
const ANSWERED_AT_ONCE = 2;

export interface PullWorld {
  readonly feed: ForgeFeed;
  readonly box: PostBox;
  /** Those that go on in the pull request's repository. */
  readonly runs: readonly KnownRun[];
  readonly watched: Readonly<Record<string, WatchedRun>>;
}

/**
 * A pull request that may be a run's: its state, its reviews, its failed checks and whether somebody pushed. Resolves with what is to be
 * remembered of the runs it belongs to. Errors: `PassEnded`; `ForgeHttpError` other than 404.
 */
export async function lookAtPull(
  { feed, box, runs, watched }: PullWorld,
  place: Place,
  number: number,
): Promise<Readonly<Record<string, WatchedRun>>> {
  const named = runs.filter(({ row }) => row.prNumber === number || row.issueNumber === number);
  const pull = await unlessNotFound(feed.pull(place, number));
  if (pull === undefined) {
    if (named.length > 0) await box.post([goneFinding(place, number, headRefOf(rowsOf(named), number))]);
    return {};
  }
  const run = named[0] ?? (await runOfHead(feed, runs, pull));
  if (run === undefined) return {};
  const { row, triggerAt } = run;
  const headRef = named.length > 0 ? headRefOf(rowsOf(named), number) : row.branch;
  await box.post([stateFinding(pull, headRef)]);
  const before = watched[row.slug];
  const head = before?.head ?? null;
  // At the first look nobody knows what the head was: the forge knows whether somebody pushed since the trigger.
  const pushed = head === null ? await feed.wasPushed(place, number, triggerAt) : head !== pull.head.sha;
  if (pushed) await box.post([pushFinding(pull, headRef, pull.head.sha)]);
  // Whether that matters, whoever is told looks for himself.
  if (pull.state === 'open')
    await box.post(checksFindings(pull, headRef, await feed.failedChecks(place, pull.head.sha)));
  const reviews = await readReviews(feed, place, number);
  await box.post(reviewFindings(pull, headRef, reviews, triggerAt));
  const remarks = new Map(Object.entries(before?.remarks ?? {}));
  const unread = reviews.filter((review) => review.remarks > (remarks.get(String(review.id)) ?? 0));
  // Those that have grown first: what an older pull request has of reviews may all be older than the run.
  const inOrder = unread.toSorted(
    (a, b) => Number(remarks.has(String(b.id))) - Number(remarks.has(String(a.id))),
  );
  const later = new Set(inOrder.slice(ANSWERED_AT_ONCE));
  for (const review of reviews) {
    if (later.has(review)) continue;
    const known = remarks.get(String(review.id));
    remarks.set(String(review.id), review.remarks);
    if (review.remarks <= (known ?? 0)) continue;
    const all = await feed.remarks(place, number, review.id);
    // A review that is new is read with its author's remarks: what others answered is news of its own.
    const news =
      known === undefined
        ? all.filter(({ authorId }) => authorId !== review.authorId)
        : latest(all, review.remarks - known);
    await box.post(news.flatMap((remark) => commentFindings(remark, place, [run])));
  }
  const seen = { pr: before?.pr ?? null, head: pull.head.sha, remarks: Object.fromEntries(remarks) };
  return { [row.slug]: seen };
}

/** A pull request whose number no run has yet, by its branch: that of the repository itself, or of the bot's fork. */
async function runOfHead(
  feed: ForgeFeed,
  runs: readonly KnownRun[],
  pull: FeedPull,
): Promise<KnownRun | undefined> {
  const run = runs.find(({ row }) => row.branch !== '' && row.branch === pull.head.ref);
  if (run === undefined || !pull.head.fromFork) return run;
  return isHeadOfOurs(pull, await feed.whoAmI()) ? run : undefined;
}

/** Answers come after what they answer. */
function latest(remarks: readonly FeedComment[], count: number): FeedComment[] {
  return [...remarks].sort((a, b) => a.id - b.id).slice(-count);
}

/** Oldest first on the forge, so that the newest are on the last pages. */
async function readReviews(feed: ForgeFeed, place: Place, number: number): Promise<FeedReview[]> {
  const first = await feed.reviews(place, number, 1);
  const pages = first.size === 0 ? 1 : Math.ceil((first.total ?? 0) / first.size);
  const found = [...first.items];
  for (let page = Math.max(2, pages - LAST_PAGES + 1); page <= pages; page += 1)
    found.push(...(await feed.reviews(place, number, page)).items);
  return found;
}
