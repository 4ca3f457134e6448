import type { ForgePerson } from '../../contract/forge-world.js';
import type { GithubState, Issue, Repo, Review, User } from './state.js';
import { now } from './state.js';

const VERDICTS = { approve: 'APPROVED', request_changes: 'CHANGES_REQUESTED', comment: 'COMMENTED' } as const;

type Answer<K extends keyof ForgePerson> = ForgePerson[K] extends (...args: never[]) => infer R ? R : never;

/** Somebody with an account who works on the pages: what they do changes the served state, no request is made. */
export class GithubPerson implements ForgePerson {
  readonly login: string;

  constructor(
    readonly state: GithubState,
    readonly user: User,
    readonly repo: Repo,
  ) {
    this.login = user.login;
  }

  /** Labels and assignees are events of their own, as on the page. */
  async createIssue(given: Parameters<ForgePerson['createIssue']>[0]): Answer<'createIssue'> {
    const { title, body = '', labels = [], assignees = [] } = given;
    const issue = this.state.addIssue(this.repo, this.user, { title, body });
    for (const label of labels) await this.addLabel(issue.number, label);
    for (const login of assignees) await this.assign(issue.number, login);
    return issue.number;
  }

  addLabel(number: number, label: string): Answer<'addLabel'> {
    return this.#do(number, (issue) => {
      issue.labels.add(label);
      this.state.addEvent(issue, this.user, 'labeled', { label });
    });
  }

  removeLabel(number: number, label: string): Answer<'removeLabel'> {
    return this.#do(number, (issue) => {
      issue.labels.delete(label);
      this.state.addEvent(issue, this.user, 'unlabeled', { label });
    });
  }

  assign(number: number, login: string): Answer<'assign'> {
    return this.#do(number, (issue) => {
      const assignee = this.#user(login);
      issue.assignees.add(assignee);
      this.state.addEvent(issue, this.user, 'assigned', { assignee });
    });
  }

  unassign(number: number, login: string): Answer<'unassign'> {
    return this.#do(number, (issue) => {
      const assignee = this.#user(login);
      issue.assignees.delete(assignee);
      this.state.addEvent(issue, this.user, 'unassigned', { assignee });
    });
  }

  comment(number: number, body: string): Answer<'comment'> {
    return this.#do(number, (issue) => this.state.addComment(issue, this.user, body).id);
  }

  editComment(id: number, body: string): Answer<'editComment'> {
    const comment = this.state.comments.find((item) => item.id === id);
    if (comment === undefined) throw new Error(`no comment ${String(id)}`);
    comment.body = body;
    comment.updatedAt = now();
    return Promise.resolve();
  }

  closeIssue(number: number): Answer<'closeIssue'> {
    return this.#do(number, (issue) => {
      this.#close(issue);
    });
  }

  reopen(number: number): Answer<'reopen'> {
    return this.#do(number, (issue) => {
      issue.closedAt = null;
      this.state.addEvent(issue, this.user, 'reopened');
    });
  }

  openPr(given: Parameters<ForgePerson['openPr']>[0]): Answer<'openPr'> {
    const { title, head, base = 'main', body = '', draft = false } = given;
    const [headSha, baseSha] = [this.repo.branches.get(head), this.target.branches.get(base)];
    if (headSha === undefined || baseSha === undefined) throw new Error(`no branch ${head} or ${base}`);
    const pull = {
      headRepo: this.repo,
      headRef: head,
      headSha,
      baseRef: base,
      baseSha,
      draft,
      mergedAt: null,
    };
    const text = { title, body };
    return Promise.resolve(
      this.state.addIssue(this.target, this.user, text, { ...pull, requested: new Set() }).number,
    );
  }

  closePr(number: number): Answer<'closePr'> {
    return this.closeIssue(number);
  }

  /** Leaves two events, as on GitHub. */
  mergePr(number: number): Answer<'mergePr'> {
    return this.#do(number, (issue) => {
      if (issue.pull === null) throw new Error('no pull request');
      issue.pull.mergedAt = now();
      this.state.addEvent(issue, this.user, 'merged');
      this.#close(issue);
    });
  }

  review(number: number, given: Parameters<ForgePerson['review']>[1]): Answer<'review'> {
    return this.#do(number, (issue) => {
      const { verdict, body = '', comments = [] } = given;
      const { state, user } = this;
      const review: Review = {
        id: state.id(),
        issue,
        author: user,
        body,
        at: now(),
        state: VERDICTS[verdict],
      };
      state.reviews.push(review);
      for (const { line, ...comment } of comments)
        state.reviewComments.push({ id: state.id(), review, ...comment, line, originalLine: line });
      issue.pull?.requested.delete(user);
      return review.id;
    });
  }

  createFile(file: Parameters<ForgePerson['createFile']>[0]): Answer<'createFile'> {
    const { repo, state, user } = this;
    const parent = repo.branches.get(file.branch) ?? repo.branches.get(file.from ?? 'main') ?? null;
    const sha = state.commit(file.path, file.content, parent);
    const before = repo.branches.get(file.branch) ?? '0'.repeat(40);
    state.pushes.push({
      id: state.id(),
      repo,
      ref: `refs/heads/${file.branch}`,
      before,
      after: sha,
      by: user,
      at: now(),
    });
    repo.branches.set(file.branch, sha);
    for (const { pull } of state.issues)
      if (pull?.headRepo === repo && pull.headRef === file.branch) pull.headSha = sha;
    return Promise.resolve(sha);
  }

  setStatus(sha: string, context: string, state: string, description = ''): Answer<'setStatus'> {
    this.state.statuses.push({ id: this.state.id(), sha, context, state, description, at: now() });
    return Promise.resolve();
  }

  comments(number: number): Answer<'comments'> {
    return this.#do(number, (issue) =>
      this.state.comments
        .filter((comment) => comment.issue === issue)
        .map(({ id, author, body }) => ({ id, login: author?.login ?? 'ghost', body })),
    );
  }

  /** Where issues and pull requests go: of a fork, to where it comes from. */
  get target(): Repo {
    return this.repo.forkOf ?? this.repo;
  }

  issue(number: number): Issue {
    const issue = this.state.issues.find((item) => item.repo === this.target && item.number === number);
    if (issue === undefined) throw new Error(`no issue ${String(number)}`);
    return issue;
  }

  #do<T>(number: number, act: (issue: Issue) => T): Promise<T> {
    return Promise.resolve(act(this.issue(number)));
  }

  #close(issue: Issue): void {
    issue.closedAt = now();
    this.state.addEvent(issue, this.user, 'closed');
  }

  #user(login: string): User {
    const user = this.state.users.find((item) => item.login === login);
    if (user === undefined) throw new Error(`no user ${login}`);
    return user;
  }
}
