import { createHash } from 'node:crypto';

export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export interface User {
  readonly id: number;
  readonly login: string;
  readonly token: string;
}

export interface Organization {
  readonly login: string;
  readonly members: Set<User>;
  readonly publicMembers: Set<User>;
}

export interface Repo {
  readonly id: number;
  owner: User;
  name: string;
  readonly isPrivate: boolean;
  readonly forkOf: Repo | null;
  readonly roles: Map<User, Role>;
  readonly branches: Map<string, string>;
}

export interface Pull {
  readonly headRepo: Repo;
  readonly headRef: string;
  headSha: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly requested: Set<User>;
  draft: boolean;
  mergedAt: string | null;
}

/** An issue or a pull request: one number space. */
export interface Issue {
  readonly id: number;
  readonly repo: Repo;
  readonly number: number;
  readonly author: User | null;
  readonly createdAt: string;
  readonly pull: Pull | null;
  readonly labels: Set<string>;
  readonly assignees: Set<User>;
  title: string;
  body: string;
  closedAt: string | null;
  updatedAt: string;
  /** Answers with 301 or 410 instead. */
  away: 'moved' | 'deleted' | null;
}

export interface Event {
  readonly id: number;
  readonly issue: Issue;
  readonly event: string;
  readonly by: User | null;
  readonly at: string;
  readonly label: string | null;
  readonly assignee: User | null;
}

export interface Comment {
  readonly id: number;
  readonly issue: Issue;
  readonly author: User | null;
  readonly createdAt: string;
  body: string;
  updatedAt: string;
}

export interface Review {
  readonly id: number;
  readonly issue: Issue;
  readonly author: User;
  readonly body: string;
  readonly at: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
}

export interface ReviewComment {
  readonly id: number;
  readonly review: Review;
  readonly path: string;
  readonly line: number | null;
  readonly originalLine: number | null;
  readonly body: string;
}

export interface Status {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly at: string;
}

export interface CheckRun {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'failure' | 'neutral' | 'cancelled' | 'skipped' | 'action_required' | null;
  readonly title: string | null;
}

export interface Push {
  readonly id: number;
  readonly repo: Repo;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly by: User;
  readonly at: string;
}

export interface Reaction {
  readonly id: number;
  readonly issue: Issue;
  readonly user: User;
  readonly content: string;
}

export interface Commit {
  readonly path: string;
  readonly content: string;
  readonly parent: string | null;
}

/** Everything the served API knows. Ids of all things come from one counter, as nothing may depend on them. */
export class GithubState {
  readonly users: User[] = [];
  readonly orgs: Organization[] = [];
  readonly repos: Repo[] = [];
  readonly issues: Issue[] = [];
  readonly events: Event[] = [];
  readonly comments: Comment[] = [];
  readonly reviews: Review[] = [];
  readonly reviewComments: ReviewComment[] = [];
  readonly statuses: Status[] = [];
  readonly checkRuns: CheckRun[] = [];
  readonly reactions: Reaction[] = [];
  readonly pushes: Push[] = [];
  /** The one file a commit adds. */
  /** Each adds a file, or puts another in its place, to what its parent has. */
  readonly commits = new Map<string, Commit>();
  #id = 1_000;

  id(): number {
    this.#id += 1;
    return this.#id;
  }

  addUser(login: string): User {
    const user = {
      id: this.id(),
      login,
      token: `ghp_${createHash('sha256').update(login).digest('hex').slice(0, 36)}`,
    };
    this.users.push(user);
    return user;
  }

  addRepo(owner: User, name: string, more: Partial<Pick<Repo, 'isPrivate' | 'forkOf'>> = {}): Repo {
    const repo: Repo = {
      id: this.id(),
      owner,
      name,
      isPrivate: more.isPrivate ?? false,
      forkOf: more.forkOf ?? null,
      roles: new Map([[owner, 'admin']]),
      branches: new Map(),
    };
    repo.branches.set('main', this.commit('README.md', '# demo\n'));
    this.repos.push(repo);
    return repo;
  }

  commit(path: string, content: string, parent: string | null = null): string {
    const sha = createHash('sha1')
      .update(`${String(this.id())} ${path}`)
      .digest('hex');
    this.commits.set(sha, { path, content, parent });
    return sha;
  }

  /** Files of a commit by path. */
  tree(sha: string): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (let commit = this.commits.get(sha); commit !== undefined;) {
      if (!files.has(commit.path)) files.set(commit.path, commit.content);
      commit = commit.parent === null ? undefined : this.commits.get(commit.parent);
    }
    return files;
  }

  addIssue(repo: Repo, author: User, text: { title: string; body: string }, pull: Pull | null = null): Issue {
    const at = now();
    const issue: Issue = {
      id: this.id(),
      repo,
      number: this.issues.filter((other) => other.repo === repo).length + 1,
      author,
      createdAt: at,
      pull,
      labels: new Set(),
      assignees: new Set(),
      ...text,
      closedAt: null,
      updatedAt: at,
      away: null,
    };
    this.issues.push(issue);
    return issue;
  }

  addEvent(issue: Issue, by: User, event: string, of: { label?: string; assignee?: User } = {}): void {
    const { label = null, assignee = null } = of;
    issue.updatedAt = now();
    this.events.push({ id: this.id(), issue, event, by, at: issue.updatedAt, label, assignee });
  }

  addComment(issue: Issue, author: User, body: string): Comment {
    const at = now();
    const comment = { id: this.id(), issue, author, body, createdAt: at, updatedAt: at };
    this.comments.push(comment);
    return comment;
  }
}

/** GitHub's times have whole seconds. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
