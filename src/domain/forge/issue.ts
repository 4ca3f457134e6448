/** The forge's vocabulary: what an issue, a pull request and their parts look like to the product, whatever the forge. */

export const FORGE_KINDS = ['gitea'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

/** In the place of a forge: what is on this machine alone. */
export const LOCAL = 'local';

export interface RepoRef {
  readonly forge: ForgeKind | typeof LOCAL;
  readonly owner: string;
  readonly repo: string;
  /** Absolute path of a directory of this machine, in the place of a forge's address; only with `LOCAL`. */
  readonly path?: string;
}

/** What a run is about: an issue, or (PR-first runs) a pull request; both count in one number space per repository. */
export interface SubjectRef extends RepoRef {
  readonly number: number;
}

export interface ForgeUser {
  readonly id: number;
  readonly login: string;
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly labels: readonly string[];
  readonly assignees: readonly ForgeUser[];
  readonly author: ForgeUser;
  readonly url: string;
  /** Branch or tag the issue names as its base ("ref" in Gitea), empty when it names none. */
  readonly ref: string;
  readonly locked: boolean;
  /** The issue number is really a pull request's. */
  readonly isPull: boolean;
  /** How often the text was written anew; absent where the forge does not count. */
  readonly contentVersion?: number;
  /** ISO 8601, whole seconds. */
  readonly createdAt: string;
  /** The same: when anything of it was touched last. */
  readonly updatedAt: string;
  readonly closedAt: string | null;
}

/** A pull request carries merge state and two branches, which an issue does not: a type of its own [S0]. */
export interface PullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly merged: boolean;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly assignees: readonly ForgeUser[];
  readonly author: ForgeUser;
  readonly url: string;
  readonly head: PullRequestHead;
  readonly base: { readonly ref: string; readonly sha: string };
  readonly updatedAt: string;
  readonly closedAt: string | null;
}

export interface PullRequestHead {
  readonly ref: string;
  readonly sha: string;
  readonly fromFork: boolean;
  /** Whose fork it is, as long as that is there. */
  readonly forkOwner?: ForgeUser;
}

export interface Comment {
  readonly id: number;
  readonly author: ForgeUser;
  readonly body: string;
  readonly url: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Review {
  readonly id: number;
  readonly author: ForgeUser;
  readonly state: 'approved' | 'changes_requested' | 'commented';
  readonly body: string;
  readonly submittedAt: string;
  readonly comments: readonly InlineComment[];
}

export interface InlineComment {
  /** In the same number space as ordinary comments. */
  readonly id: number;
  readonly author: ForgeUser;
  /** ISO 8601 */
  readonly updatedAt: string;
  readonly path: string;
  readonly line: number;
  readonly body: string;
}

export interface CheckStatus {
  /** Its name. */
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure' | 'error' | 'warning' | 'skipped';
  readonly description: string;
  /** Where whoever set it says that there is more; on Gitea without a host for its own Actions. May be empty. */
  readonly url: string;
}

/**
 * One entry of the forge's own timeline of an issue: what can complete or end a trigger, pushes to a PR, and a new title
 * or base branch; a new text is not in there.
 */
export interface TimelineAct {
  /** Grows with every entry of the forge, so that it orders acts of one second; 0 for the opening. */
  readonly id: number;
  readonly kind:
    | 'labeled'
    | 'unlabeled'
    | 'assigned'
    | 'unassigned'
    | 'opened'
    | 'reopened'
    | 'closed'
    | 'pushed'
    | 'edited';
  readonly actor: ForgeUser;
  /** ISO 8601 */
  readonly at: string;
  /** The label's name, the assignee's login, the head commit of a push, `title` or `ref`; empty for the others. */
  readonly what: string;
}

/** What stands before all that its timeline holds. */
export function openingOf({ author, createdAt }: Pick<Issue, 'author' | 'createdAt'>): TimelineAct {
  return { id: 0, kind: 'opened', actor: author, at: createdAt, what: '' };
}

/** A pull request that names an issue, as the issue's timeline has it. */
export interface LinkedPull {
  readonly number: number;
  readonly title: string;
  readonly author: string;
}

/** Where a repository is now: its id stays when it is renamed or transferred. */
export interface Place {
  readonly repoId: number;
  readonly owner: string;
  readonly repo: string;
}

export interface Repository {
  readonly id: number;
  readonly defaultBranch: string;
  /** The rights of the token's own user. */
  readonly permissions: { readonly push: boolean; readonly admin: boolean };
}

export type Permission = 'none' | 'read' | 'write' | 'admin';

/** Whether only who may write pushed the head branch: it is in the repository itself, or in the bot's own fork. */
export function isHeadOfOurs({ head }: Pick<PullRequest, 'head'>, bot: ForgeUser): boolean {
  return !head.fromFork || head.forkOwner?.id === bot.id;
}

/** A forge's issue and PR numbers: positive, whole, and exactly representable. */
export function isForgeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Of a commit: 40 hex digits of SHA-1, or 64 of SHA-256. */
export function isCommitId(value: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The name of a user or an organization; anything else never reaches a URL or a path. */
export function isOwnerName(value: unknown): value is string {
  return typeof value === 'string' && OWNER.test(value) && !value.endsWith('.git') && !value.includes('..');
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/;
/** Gitea's own addresses: `/alice/-/packages`, `/alice/demo.git`, `/alice/demo.rss`; and what leaves a directory. */
const RESERVED = /^[.-]$|\.\.|\.(?:git|wiki|rss|atom)$/i;

/**
 * A repository's name as Gitea allows it: `.profile`, `_site` and `-x` too. In addresses, ids and on command lines its owner
 * stands before it, so it is no option; where it begins a file's name, the directory has no hidden files of ours and the path
 * is absolute. Anything else never reaches a URL or a path.
 */
export function isForgeName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value) && !RESERVED.test(value);
}

/** Takes `owner/repo` apart; `undefined` when it is not the name of a repository. */
export function parseRepoName(text: string): Pick<RepoRef, 'owner' | 'repo'> | undefined {
  const [owner, repo, ...more] = text.split('/');
  return isOwnerName(owner) && isForgeName(repo) && more.length === 0 ? { owner, repo } : undefined;
}

/** Of a run without an issue: no forge knows it, and its slug is its name everywhere. */
export function localSubject(slug: string): SubjectRef {
  return { forge: LOCAL, owner: LOCAL, repo: slug, number: 1 };
}

export function isLocal({ forge }: Pick<RepoRef, 'forge'>): boolean {
  return forge === LOCAL;
}

/** `gitea:alice/demo#12`, or `local:<slug>`: the id of the workflow that owns the subject. */
export function workflowIdOf(subject: SubjectRef): string {
  if (isLocal(subject)) return `${LOCAL}:${subject.repo}`;
  return `${subject.forge}:${subject.owner}/${subject.repo}#${String(subject.number)}`;
}

/** The reverse of `workflowIdOf`; `undefined` for the id of another kind of workflow. */
export function subjectOfWorkflow(id: string): SubjectRef | undefined {
  const slug = id.startsWith(`${LOCAL}:`) ? id.slice(LOCAL.length + 1) : undefined;
  if (slug !== undefined) return isOwnerName(slug) ? localSubject(slug) : undefined;
  return FORGE_KINDS.some((kind) => id.startsWith(`${kind}:`)) ? parseSubject(id) : undefined;
}

const SUBJECT = /^(?:(gitea):)?([^/\s:#]+)\/([^/\s#]+)#(\d{1,16})$/;

/** Reads `owner/repo#12` (of the forge given) or `gitea:owner/repo#12`; `undefined` when it is neither. */
export function parseSubject(text: string, unnamed: ForgeKind = 'gitea'): SubjectRef | undefined {
  const match = SUBJECT.exec(text.trim());
  if (!match) return undefined;
  const [, named, owner, repo, digits] = match;
  const number = Number(digits);
  if (!isOwnerName(owner) || !isForgeName(repo) || !isForgeNumber(number)) return undefined;
  const forge = FORGE_KINDS.find((kind) => kind === named) ?? unnamed;
  return { forge, owner, repo, number };
}
