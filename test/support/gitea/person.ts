import { numberIn, textIn, withToken } from './api.js';
import type { Api } from './api.js';

export interface NewIssue {
  readonly title: string;
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** Base branch the issue names. */
  readonly ref?: string;
}

export interface NewReview {
  readonly verdict: 'approve' | 'request_changes' | 'comment';
  readonly body?: string;
  /** `line` counts in the new file. */
  readonly comments?: readonly { readonly path: string; readonly line: number; readonly body: string }[];
}

export interface NewFile {
  readonly branch: string;
  readonly path: string;
  readonly content: string;
  /** Makes `branch` from this one first. */
  readonly from?: string;
  readonly message?: string;
}

const VERDICTS = { approve: 'APPROVED', request_changes: 'REQUEST_CHANGES', comment: 'COMMENT' } as const;

/** Somebody with an account, acting on one repository through the API as they would through the pages. */
export class Person {
  readonly api: Api;

  constructor(
    readonly url: string,
    readonly login: string,
    readonly password: string,
    /** All scopes. */
    readonly token: string,
    /** `owner/name` */
    readonly repo: string,
  ) {
    this.api = withToken(url, token);
  }

  /** The same person acting on another repository, `owner/name`. */
  on(repo: string): Person {
    return new Person(this.url, this.login, this.password, this.token, repo);
  }

  /** Resolves with the number. Labels that aren't there are made, for which one needs write access. */
  async createIssue(issue: NewIssue): Promise<number> {
    const { labels = [], ...rest } = issue;
    const ids = await this.#labelIds(labels);
    return numberIn(await this.api.object('POST', this.#path('/issues'), { ...rest, labels: ids }), 'number');
  }

  async addLabel(number: number, label: string): Promise<void> {
    const ids = await this.#labelIds([label]);
    await this.api.call('POST', this.#issue(number, '/labels'), { labels: ids });
  }

  async removeLabel(number: number, label: string): Promise<void> {
    const [id] = await this.#labelIds([label]);
    await this.api.call('DELETE', this.#issue(number, `/labels/${String(id)}`));
  }

  async assign(number: number, login: string): Promise<void> {
    await this.#setAssignees(number, (before) => [...new Set([...before, login])]);
  }

  async unassign(number: number, login: string): Promise<void> {
    await this.#setAssignees(number, (before) => before.filter((name) => name !== login));
  }

  /** Resolves with the comment's id. */
  async comment(number: number, body: string): Promise<number> {
    return numberIn(await this.api.object('POST', this.#issue(number, '/comments'), { body }), 'id');
  }

  async editComment(id: number, body: string): Promise<void> {
    await this.api.call('PATCH', this.#path(`/issues/comments/${String(id)}`), { body });
  }

  async deleteComment(id: number): Promise<void> {
    await this.api.call('DELETE', this.#path(`/issues/comments/${String(id)}`));
  }

  async editIssue(
    number: number,
    change: { readonly title?: string; readonly body?: string; readonly ref?: string },
  ): Promise<void> {
    await this.api.call('PATCH', this.#issue(number), change);
  }

  async lock(number: number): Promise<void> {
    await this.api.call('PUT', this.#issue(number, '/lock'), { lock_reason: 'too heated' });
  }

  async closeIssue(number: number): Promise<void> {
    await this.api.call('PATCH', this.#issue(number), { state: 'closed' });
  }

  /** An issue, or a PR that isn't merged. */
  async reopen(number: number): Promise<void> {
    await this.api.call('PATCH', this.#issue(number), { state: 'open' });
  }

  /** Resolves with the PR's number. */
  async openPr(pr: {
    readonly title: string;
    readonly head: string;
    readonly base?: string;
    readonly body?: string;
    readonly draft?: boolean;
  }): Promise<number> {
    const { draft = false, title, ...rest } = pr;
    // On Gitea the title makes it one.
    const given = { base: 'main', title: draft ? `WIP: ${title}` : title, ...rest };
    return numberIn(await this.api.object('POST', this.#path('/pulls'), given), 'number');
  }

  async closePr(number: number): Promise<void> {
    await this.api.call('PATCH', this.#path(`/pulls/${String(number)}`), { state: 'closed' });
  }

  /** Waits until the forge has found out that it can be merged. */
  async mergePr(number: number, style: 'merge' | 'squash' = 'merge'): Promise<void> {
    const path = this.#path(`/pulls/${String(number)}`);
    const deadline = Date.now() + 20_000;
    for (;;) {
      try {
        await this.api.call('POST', `${path}/merge`, { Do: style });
        return;
      } catch (error) {
        // 405 "Please try again later" while the conflict check runs.
        if (!(error instanceof Error) || !error.message.includes(': 405') || Date.now() > deadline)
          throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Resolves with the review's id. */
  async review(number: number, review: NewReview): Promise<number> {
    const { verdict, body = '', comments = [] } = review;
    const answer = await this.api.object('POST', this.#path(`/pulls/${String(number)}/reviews`), {
      event: VERDICTS[verdict],
      body,
      comments: comments.map(({ path, line, body: text }) => ({ path, body: text, new_position: line })),
    });
    return numberIn(answer, 'id');
  }

  /** A push of one new file; resolves with the commit's SHA. */
  async createFile(file: NewFile): Promise<string> {
    const { branch, path, content, from, message = `Add ${path}` } = file;
    const answer = await this.api.object('POST', this.#path(`/contents/${path}`), {
      content: Buffer.from(content).toString('base64'),
      message,
      ...(from === undefined ? { branch } : { branch: from, new_branch: branch }),
    });
    return textIn(answer['commit'] as Record<string, unknown>, 'sha');
  }

  async setStatus(sha: string, context: string, state: string, description = ''): Promise<void> {
    await this.api.call('POST', this.#path(`/statuses/${sha}`), { context, state, description });
  }

  async comments(
    number: number,
  ): Promise<{ readonly id: number; readonly login: string; readonly body: string }[]> {
    const list = await this.api.list(this.#issue(number, '/comments'));
    return list.map((item) => ({
      id: numberIn(item, 'id'),
      login: textIn(item['user'] as Record<string, unknown>, 'login'),
      body: textIn(item, 'body'),
    }));
  }

  #path(rest: string): string {
    return `/repos/${this.repo}${rest}`;
  }

  #issue(number: number, rest = ''): string {
    return this.#path(`/issues/${String(number)}${rest}`);
  }

  async #setAssignees(number: number, change: (before: string[]) => string[]): Promise<void> {
    const issue = await this.api.object('GET', this.#issue(number));
    const before = Array.isArray(issue['assignees']) ? (issue['assignees'] as Record<string, unknown>[]) : [];
    await this.api.call('PATCH', this.#issue(number), {
      assignees: change(before.map((user) => textIn(user, 'login'))),
    });
  }

  async #labelIds(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const known = new Map(
      (await this.api.list(this.#path('/labels?limit=50'))).map((label) => [
        label['name'],
        numberIn(label, 'id'),
      ]),
    );
    const ids: number[] = [];
    for (const name of names) {
      const made = async () =>
        numberIn(await this.api.object('POST', this.#path('/labels'), { name, color: '#5319e7' }), 'id');
      ids.push(known.get(name) ?? (await made()));
    }
    return ids;
  }
}
