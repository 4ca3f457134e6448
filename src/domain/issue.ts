/** The forge's vocabulary: what an issue, a pull request and their parts look like to the product, whatever the forge. */

export type ForgeKind = 'gitea' | 'github';

export interface RepoRef {
  readonly forge: ForgeKind;
  readonly owner: string;
  readonly repo: string;
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
  /** ISO 8601 */
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
  readonly head: { readonly ref: string; readonly sha: string; readonly fromFork: boolean };
  readonly base: { readonly ref: string; readonly sha: string };
  readonly updatedAt: string;
  readonly closedAt: string | null;
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
  readonly path: string;
  readonly line: number;
  readonly body: string;
}

export interface CheckStatus {
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure' | 'error' | 'warning' | 'skipped';
  readonly description: string;
}

/** One entry of the forge's own timeline of an issue that can complete a trigger. */
export interface TimelineAct {
  readonly kind: 'labeled' | 'unlabeled' | 'assigned' | 'unassigned' | 'opened' | 'reopened' | 'closed';
  readonly actor: ForgeUser;
  /** ISO 8601 */
  readonly at: string;
  /** The label's name, or the assignee's login; empty for the others. */
  readonly what: string;
}

export interface Repository {
  readonly id: number;
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly cloneUrl: string;
  /** The rights of the token's own user. */
  readonly permissions: { readonly pull: boolean; readonly push: boolean; readonly admin: boolean };
}

export type Permission = 'none' | 'read' | 'write' | 'admin';

/** A forge's issue and PR numbers: positive, whole, and exactly representable. */
export function isForgeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Owner and repository names as Gitea allows them; anything else never reaches a URL or a path. */
export function isForgeName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value) && !value.endsWith('.git') && !value.includes('..');
}

/** `gitea:alice/demo#12`: the id of the workflow that owns the subject. */
export function workflowIdOf(subject: SubjectRef): string {
  return `${subject.forge}:${subject.owner}/${subject.repo}#${String(subject.number)}`;
}

const SUBJECT = /^(?:(gitea):)?([^/\s:#]+)\/([^/\s#]+)#(\d{1,16})$/;

/** Reads `owner/repo#12` or `gitea:owner/repo#12`; `undefined` when it is neither. */
export function parseSubject(text: string): SubjectRef | undefined {
  const match = SUBJECT.exec(text.trim());
  if (!match) return undefined;
  const [, , owner, repo, digits] = match;
  const number = Number(digits);
  if (!isForgeName(owner) || !isForgeName(repo) || !isForgeNumber(number)) return undefined;
  return { forge: 'gitea', owner, repo, number };
}
