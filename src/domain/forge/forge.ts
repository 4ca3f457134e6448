import type {
  CheckStatus,
  Comment,
  ForgeUser,
  Issue,
  LinkedPull,
  Permission,
  Place,
  PullRequest,
  RepoRef,
  Repository,
  Review,
  TimelineAct,
} from './issue.js';

/**
 * A Git forge, one instance bound to one repository. Reads answer fresh state; every write may be repeated without a
 * duplicate. Errors: `ForgeHttpError`; `InvalidInputError` for a number that cannot be one, before any request.
 */
export interface Forge {
  /**
   * The least by which the forge's clock is ahead of ours, milliseconds, negative where it is behind: by its last answer,
   * which has whole seconds. 0 while nothing shows that they differ.
   */
  readonly aheadMs: number;
  readIssue(number: number): Promise<Issue>;
  readPr(number: number): Promise<PullRequest>;
  /** Oldest first. Comments of the issue, or of the PR with that number. */
  readComments(number: number): Promise<Comment[]>;
  readComment(id: number): Promise<Comment>;
  readReviews(prNumber: number): Promise<Review[]>;
  /** Unified diff text; of one beyond 1 MiB the beginning. */
  readDiff(prNumber: number): Promise<string>;
  /** CI state of the PR's head. */
  readChecks(prNumber: number): Promise<CheckStatus[]>;
  /** CI state of a commit: the latest of every context. */
  readStatuses(sha: string): Promise<CheckStatus[]>;
  /**
   * The end of a failed check's log, where the forge itself ran it on that commit and gives the log away; else `null`.
   * @param maxBytes of UTF-8, about
   */
  readCheckLog(check: CheckStatus, sha: string, maxBytes: number): Promise<string | null>;
  /** Open PR, from a branch of ours, whose head is this commit. */
  findOpenPrByCommit(sha: string): Promise<PullRequest | undefined>;
  /** `marker` makes the comment idempotent: a hidden mark searched before posting. */
  postComment(number: number, body: string, marker: string): Promise<Comment>;
  updateDescription(number: number, body: string): Promise<void>;
  updateTitle(number: number, title: string): Promise<void>;
  isOrgMember(org: string, login: string): Promise<boolean>;
  permissionOf(login: string): Promise<Permission>;
  /** Logins of those whose permission is `write` or `admin`, as `permissionOf` says it, in the repository by their own name. */
  readWriters(): Promise<string[]>;
  /** Logins. */
  readOrgMembers(org: string): Promise<string[]>;
  /** Open PR whose head branch is `branch` in this repository, or in the bot's fork where the product makes forks. */
  findOpenPrByHead(branch: string): Promise<PullRequest | undefined>;
  /** Derived from `readPr`. */
  isPrOpen(number: number): Promise<boolean>;
  /** Adopts an open PR from the same head instead of failing. */
  openPr(input: OpenPrInput): Promise<PullRequest>;
  requestReview(prNumber: number, login: string): Promise<void>;
  /** Oldest first; the opening, which the issue itself tells, is not among them. */
  readTimeline(number: number): Promise<TimelineAct[]>;
  /** Open pull requests that name the issue. */
  readLinkedPulls(number: number): Promise<LinkedPull[]>;
  /**
   * Whether we see any of them here. Where they are switched off in the repository, or withheld from us, each of them
   * answers 404 like one that was deleted.
   */
  canRead(unit: ForgeUnit): Promise<boolean>;
  /**
   * Where the repository with this id is now; `undefined` when it is gone, or hidden from us. That the forge answers is made
   * sure of: one that knows nothing at all is away.
   */
  whereIs(repoId: number): Promise<Place | undefined>;
  readRepository(): Promise<Repository>;
  /** Head commit of the default branch; `undefined` while the repository is empty. */
  readDefaultHead(): Promise<string | undefined>;
  /**
   * A file as it is at a commit. Errors: also `InvalidInputError` for a path or commit that cannot be one.
   * @param maxBytes at most 1 MiB
   */
  readFile(path: string, commit: string, maxBytes: number): Promise<RepositoryFile>;
  /** Adds a reaction of the token's user once. */
  react(number: number, reaction: ForgeReaction): Promise<void>;
  whoAmI(): Promise<ForgeUser>;
}

export type ForgeUnit = 'issues' | 'pulls';

export type RepositoryFile =
  | { readonly kind: 'file'; readonly content: Uint8Array }
  /** There is nothing of that path. */
  | { readonly kind: 'none' }
  /** There is something that is not read: a directory, a link, too much. */
  | { readonly kind: 'unfit'; readonly why: string };

export type ForgeReaction = 'eyes' | 'confused';

export interface OpenPrInput {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  /** Owner of the fork that the head is in; without one it is in this repository. Writers here may push to it then. */
  readonly headOwner?: string;
  readonly base: string;
}

/** Binds a forge to a repository. */
export type ForgeFor = (repo: RepoRef) => Forge;
