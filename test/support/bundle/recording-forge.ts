import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import type { AgentForge } from '../../../src/bundle/plane/method.js';
import type {
  CheckStatus,
  Comment,
  ForgeUser,
  Issue,
  PullRequest,
  Review,
} from '../../../src/domain/forge/issue.js';

const user: ForgeUser = { id: 7, login: 'alice' };
const TIME = '2026-01-02T03:04:05Z';

export function anIssue(number: number, over: Partial<Issue> = {}): Issue {
  return {
    number,
    title: `Issue ${String(number)}`,
    body: 'text',
    state: 'open',
    labels: ['bug'],
    assignees: [user],
    author: user,
    url: 'http://forge/1',
    ref: '',
    locked: false,
    isPull: false,
    createdAt: TIME,
    updatedAt: TIME,
    closedAt: null,
    ...over,
  };
}

export function aPr(number: number): PullRequest {
  const { title, body, state, labels, assignees, author, url, updatedAt, closedAt } = anIssue(number);
  const head = { ref: 'work', sha: 'a'.repeat(40), fromFork: false };
  const base = { ref: 'main', sha: 'b'.repeat(40) };
  return {
    number,
    title,
    body,
    state,
    merged: true,
    draft: false,
    labels,
    assignees,
    author,
    url,
    head,
    base,
    updatedAt,
    closedAt,
  };
}

export function aComment(id: number, body: string): Comment {
  return { id, author: user, body, url: 'http://forge/c', createdAt: TIME, updatedAt: TIME };
}

export function aReview(id: number): Review {
  const comments = [{ id: id + 1, author: user, updatedAt: TIME, path: 'a.ts', line: 3, body: 'why?' }];
  return { id, author: user, state: 'changes_requested', body: 'no', submittedAt: TIME, comments };
}

export type ForgeCall = readonly [operation: keyof AgentForge, ...args: unknown[]];

/** A forge that answers from memory and remembers what it was asked. */
export class RecordingForge implements AgentForge {
  readonly calls: ForgeCall[] = [];
  issue = (number: number): Issue => anIssue(number);
  pr = aPr;
  comments: Comment[] = [aComment(1, 'hello')];
  reviews: Review[] = [aReview(5)];
  diff = 'diff --git a/a b/a\n';
  checks: CheckStatus[] = [{ context: 'ci', state: 'success', description: 'fine', url: '' }];
  /** Thrown by every operation while set. */
  fault: Error | undefined;
  /** What every operation takes. */
  pause: () => Promise<void> = () => Promise.resolve();

  readIssue(number: number): Promise<Issue> {
    return this.#answer(['readIssue', number], this.issue(number));
  }
  readPr(number: number): Promise<PullRequest> {
    return this.#answer(['readPr', number], this.pr(number));
  }
  readComments(number: number): Promise<Comment[]> {
    return this.#answer(['readComments', number], this.comments);
  }
  /** Even numbers are pull requests. */
  readReviews(number: number): Promise<Review[]> {
    if (number % 2 === 0) return this.#answer(['readReviews', number], this.reviews);
    this.calls.push(['readReviews', number]);
    return Promise.reject(new ForgeHttpError(404, 'GET', '/pulls', 'not found'));
  }
  readDiff(number: number): Promise<string> {
    return this.#answer(['readDiff', number], this.diff);
  }
  readChecks(number: number): ReturnType<AgentForge['readChecks']> {
    return this.#answer(['readChecks', number], this.checks);
  }
  postComment(number: number, body: string, marker: string): Promise<Comment> {
    return this.#answer(['postComment', number, body, marker], aComment(99, body));
  }
  updateDescription(number: number, body: string): Promise<void> {
    return this.#answer(['updateDescription', number, body], undefined);
  }

  async #answer<T>(call: ForgeCall, value: T): Promise<T> {
    this.calls.push(call);
    await this.pause();
    if (this.fault !== undefined) throw this.fault;
    return value;
  }
}
