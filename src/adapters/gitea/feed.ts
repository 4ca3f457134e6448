import { InvalidInputError } from '../../domain/base/errors.js';
import { isRecord } from '../../domain/base/is-record.js';
import type {
  FeedComment,
  FeedPage,
  FeedPull,
  FeedReview,
  FeedSource,
  FeedSubject,
  ForgeFeed,
} from '../../domain/forge/forge-feed.js';
import { isForgeName, isOwnerName } from '../../domain/forge/issue.js';
import type { Issue, Place } from '../../domain/forge/issue.js';
import { failedNames } from './checks.js';
import { asEntries, asObject, integerOf, textOf, textOrEmpty, UnexpectedShapeError } from './decode.js';
import type { JsonObject } from './decode.js';
import { forgeNumber } from './forge-number.js';
import type { GiteaClient, GiteaRequest, PathSegment } from './gitea-client.js';
import { rememberedUser } from './gitea-repo.js';
import { toIssue, toPullRequest, toUser } from './mapping.js';
import { PAGE_SIZE, pageLength, readPage } from './paging.js';
import { whereIs } from './repositories.js';
import { readRemarks, SUBMITTED_STATES } from './reviews.js';

type Query = Readonly<Record<string, string | number>>;

/**
 * What changed on a Gitea or Forgejo. A comment moves its issue's `updated_at`, editing one only the comment's own: the
 * lists of comments are asked for by themselves. `since` has whole seconds and includes them.
 * @param client makes one attempt only: whoever asks counts the requests. It is the feed's own
 */
export function giteaFeed(client: GiteaClient): ForgeFeed {
  const page = async <T>(
    path: GiteaRequest['path'],
    query: Query,
    toItems: (raw: JsonObject) => readonly T[],
    number = 1,
  ): Promise<FeedPage<T>> => {
    const { items, size, total, at } = await readPage(
      (page, limit) => client.request({ method: 'GET', path, query: { ...query, page, limit } }),
      (answer) => asEntries(answer, 'list'),
      number,
      () => pageLength(client),
    );
    return { items: items.flatMap(toItems), size, total: total ?? null, at: at ?? null };
  };
  return {
    forge: 'gitea',
    get requests() {
      return client.sent;
    },
    changed: (source, since, number) => {
      const query = since === null ? { state: 'open' } : { state: 'all', since: timeText(since) };
      const { path, narrowed } = listOf(source);
      return page(path, { ...query, ...narrowed }, toSubjects, number);
    },
    comments: (place, since, number) =>
      page(inRepo(place, 'issues', 'comments'), { since: timeText(since) }, toComments, number),
    subject: async (place, number) =>
      toSubject(await client.json({ method: 'GET', path: inRepo(place, 'issues', forgeNumber(number)) })),
    pull: async (place, number) =>
      toPull(await client.json({ method: 'GET', path: inRepo(place, 'pulls', forgeNumber(number)) }), place),
    reviews: (place, pull, number) =>
      page(inRepo(place, 'pulls', forgeNumber(pull), 'reviews'), {}, toReviews, number),
    remarks: async (place, pull, review) => {
      const path = inRepo(place, 'pulls', forgeNumber(pull), 'reviews', forgeNumber(review), 'comments');
      return (await readRemarks(client, path)).map((raw) => ({
        id: integerOf(raw, 'id'),
        authorId: toUser(raw['user']).id,
        number: pull,
        isPull: true,
        body: textOrEmpty(raw, 'body'),
        updatedAt: timeIn(textOf(raw, 'updated_at')),
      }));
    },
    failedChecks: async (place, sha) => {
      const path = inRepo(place, 'commits', sha, 'status');
      return failedNames(await client.json({ method: 'GET', path, query: { limit: PAGE_SIZE } }));
    },
    wasPushed: async (place, pull, since) => {
      const path = inRepo(place, 'issues', forgeNumber(pull), 'timeline');
      const entries = await page(path, { since: timeText(since) }, (raw) => [textOf(raw, 'type')]);
      return entries.size >= PAGE_SIZE || entries.items.includes('pull_push');
    },
    whoAmI: rememberedUser(client),
    whereIs: (repoId) => whereIs(client, repoId),
  };
}

/** Without a fraction; an offset would have to be percent-encoded. */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function listOf(source: FeedSource): {
  readonly path: readonly PathSegment[];
  readonly narrowed: Query;
} {
  switch (source.kind) {
    case 'all':
      return { path: ['repos', 'issues', 'search'], narrowed: {} };
    case 'owner':
      return { path: ['repos', 'issues', 'search'], narrowed: { owner: source.owner } };
    case 'repository':
      return { path: inRepo(source, 'issues'), narrowed: {} };
  }
}

function inRepo(
  { owner, repo }: Pick<Place, 'owner' | 'repo'>,
  ...segments: readonly PathSegment[]
): readonly PathSegment[] {
  if (!isOwnerName(owner) || !isForgeName(repo))
    throw new InvalidInputError('the forge named a repository that cannot be one');
  return ['repos', owner, repo, ...segments];
}

/** An entry without a repository, or of one with a name that we could not ask for, is none of ours. */
function toSubjects(raw: JsonObject): FeedSubject[] {
  const place = placeIn(raw['repository']);
  return place === undefined ? [] : [subjectOf(toIssue(raw), place)];
}

function toSubject(value: unknown): FeedSubject {
  const [subject] = toSubjects(asObject(value, 'issue'));
  if (subject === undefined) throw new UnexpectedShapeError('repository');
  return subject;
}

type Shared = Pick<Issue, 'number' | 'isPull' | 'state' | 'labels' | 'assignees' | 'updatedAt'>;

function subjectOf(
  { number, isPull, state, labels, assignees, updatedAt }: Shared,
  place: Place,
): FeedSubject {
  const logins = assignees.map((user) => user.login);
  return { place, number, isPull, state, labels, assignees: logins, updatedAt: timeIn(updatedAt) };
}

function placeIn(value: unknown): Place | undefined {
  if (!isRecord(value)) return undefined;
  const owner = textOf(value, 'owner');
  const repo = textOf(value, 'name');
  return isOwnerName(owner) && isForgeName(repo)
    ? { repoId: integerOf(value, 'id'), owner, repo }
    : undefined;
}

function toPull(value: unknown, place: Place): FeedPull {
  const pull = toPullRequest(value);
  return { ...subjectOf({ ...pull, isPull: true }, place), head: pull.head };
}

/** One of the two addresses is filled: pages of the web, ending in the number. */
function toComments(raw: JsonObject): FeedComment[] {
  const pull = textOrEmpty(raw, 'pull_request_url');
  const number = Number(/\/(\d{1,16})$/.exec(pull === '' ? textOrEmpty(raw, 'issue_url') : pull)?.[1]);
  if (!Number.isSafeInteger(number) || number < 1) return [];
  return [
    {
      id: integerOf(raw, 'id'),
      number,
      isPull: pull !== '',
      body: textOrEmpty(raw, 'body'),
      updatedAt: timeIn(textOf(raw, 'updated_at')),
    },
  ];
}

function toReviews(raw: JsonObject): FeedReview[] {
  if (!SUBMITTED_STATES.has(textOf(raw, 'state'))) return [];
  return [
    {
      id: integerOf(raw, 'id'),
      authorId: toUser(raw['user']).id,
      submittedAt: timeIn(textOf(raw, 'submitted_at')),
      remarks: integerOf(raw, 'comments_count'),
    },
  ];
}

function timeIn(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new UnexpectedShapeError('time');
  return time;
}
