/** What a forge tells about changes to somebody who asks, instead of being told by webhooks. Times are epoch milliseconds. */
import type { ForgeKind, ForgeUser, Place, PullRequestHead } from './issue.js';

/**
 * A part of the forge that one list of changes covers: everything the token sees, one owner's repositories, or one
 * repository.
 */
export type FeedSource =
  | { readonly kind: 'all' }
  | { readonly kind: 'owner'; readonly owner: string }
  | { readonly kind: 'repository'; readonly owner: string; readonly repo: string };

/** One page of a list. */
export interface FeedPage<T> {
  readonly items: readonly T[];
  /** How many entries the forge sent, those that are no items of ours among them. */
  readonly size: number;
  /** Length of the whole list, where the forge says it. */
  readonly total: number | null;
  /** The forge's clock when it answered; `null` when it does not say. */
  readonly at: number | null;
}

/** An issue or pull request, as far as its state goes. */
export interface FeedSubject {
  readonly place: Place;
  readonly number: number;
  readonly isPull: boolean;
  readonly state: 'open' | 'closed';
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly updatedAt: number;
}

export interface FeedComment {
  readonly id: number;
  /** Of the issue or pull request it stands under. */
  readonly number: number;
  readonly isPull: boolean;
  readonly body: string;
  readonly updatedAt: number;
}

/** On a line of a pull request. */
export interface FeedRemark extends FeedComment {
  readonly authorId: number;
}

export interface FeedPull extends FeedSubject {
  readonly head: PullRequestHead;
}

/** A review that was submitted; drafts and mere requests are none. */
export interface FeedReview {
  readonly id: number;
  readonly authorId: number;
  readonly submittedAt: number;
  /** How many remarks on lines it has, later answers to them among these. */
  readonly remarks: number;
}

/**
 * Every call is one request, but for a page that is too large for an answer: its entries are asked for one by one. Pages
 * count from 1, `since` includes its own second. Lists need no order. Errors: `ForgeHttpError`, at once and not repeated;
 * see `isNotFound` for what has moved.
 */
export interface ForgeFeed {
  readonly forge: ForgeKind;
  /** How many requests were sent so far. */
  readonly requests: number;
  /** Issues and pull requests, open and closed, changed since then; without a time all that are open. */
  changed(source: FeedSource, since: number | null, page: number): Promise<FeedPage<FeedSubject>>;
  /** Comments written or edited since then, under issues and pull requests of the repository. */
  comments(place: Place, since: number, page: number): Promise<FeedPage<FeedComment>>;
  subject(place: Place, number: number): Promise<FeedSubject>;
  pull(place: Place, number: number): Promise<FeedPull>;
  reviews(place: Place, pull: number, page: number): Promise<FeedPage<FeedReview>>;
  /** A review's remarks on lines and the answers to them. */
  remarks(place: Place, pull: number, review: number): Promise<readonly FeedRemark[]>;
  /** Names of the checks that fail on a commit, the first page of them. */
  failedChecks(place: Place, sha: string): Promise<readonly string[]>;
  /** Whether somebody pushed to the pull request since then. When in doubt: yes. */
  wasPushed(place: Place, pull: number, since: number): Promise<boolean>;
  /** The token's own account. */
  whoAmI(): Promise<ForgeUser>;
  /** As `Forge.whereIs`. */
  whereIs(repoId: number): Promise<Place | undefined>;
}

/**
 * The fewest lists that cover `FORGE_REPOS`: a repository that is named is asked for by itself, patterns go through the
 * forge's search over all repositories.
 */
export function feedSources(patterns: readonly string[]): FeedSource[] {
  if (patterns.includes('*')) return [{ kind: 'all' }];
  const split = patterns.map((pattern) => {
    const [owner = '', repo = ''] = pattern.split('/');
    return { owner, repo };
  });
  const owners = new Set(split.filter(({ repo }) => repo === '*').map(({ owner }) => owner.toLowerCase()));
  const named = split.filter(({ owner }) => !owners.has(owner.toLowerCase()));
  return [
    ...[...owners].map((owner) => ({ kind: 'owner', owner }) as const),
    ...named.map(({ owner, repo }) => ({ kind: 'repository', owner, repo }) as const),
  ];
}

/** `*`, `alice/*`, `alice/demo` */
export function sourceName(source: FeedSource): string {
  switch (source.kind) {
    case 'all':
      return '*';
    case 'owner':
      return `${source.owner}/*`;
    case 'repository':
      return `${source.owner}/${source.repo}`;
  }
}
