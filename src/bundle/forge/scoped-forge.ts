import { ForgeScopeError, InvalidInputError } from '../../domain/base/errors.js';
import {
  isForgeNumber,
  type CheckStatus,
  type Comment,
  type Issue,
  type PullRequest,
  type Review,
} from '../../domain/forge/issue.js';
import type { AtMost } from '../base/at-most.js';
import { CommentAllowance } from './comment-allowance.js';
import type { AgentForge } from '../plane/method.js';

export interface ForgeScope {
  /** The assigned issue; in a PR-first run the pull request itself. */
  readonly issue: number | null;
  /** The run's pull request, when it has one. */
  readonly pr: number | null;
}

/**
 * Resolves when a text may be posted. @param where what it is: `the comment on #12`
 * Errors: `JsonRpcError` for the agent, and then nothing is posted.
 */
export type RequireClean = (where: string, text: string) => Promise<void>;

const OUTSIDE = "outside the run's scope";

/**
 * Wraps any forge: reads go anywhere in the repository, writes only to the assigned issue and the run's own pull
 * requests, and of texts that were looked through for secrets, word for word as they are posted. Errors:
 * `ForgeScopeError` for other writes, `InvalidInputError` for a number that cannot be one, those of `requireClean`, and
 * `JsonRpcError` -32008 for more comments than a turn may post; all before any request.
 */
export class ScopedForge implements AgentForge {
  readonly issue: number;
  readonly #forge: () => Promise<AgentForge>;
  readonly #requireClean: RequireClean;
  readonly #posts: AtMost;
  readonly #allowance = new CommentAllowance();
  readonly #ownPrs = new Set<number>();

  /**
   * @param forge as soon as its adapter is loaded, each time the same
   * @param posts to post a comment once, all that are there are read
   */
  constructor(
    forge: () => Promise<AgentForge>,
    scope: ForgeScope,
    requireClean: RequireClean,
    posts: AtMost,
  ) {
    this.#forge = forge;
    this.#requireClean = requireClean;
    this.#posts = posts;
    // No number of the forge is 0: without an issue nothing can be written.
    this.issue = scope.issue === null ? 0 : checked(scope.issue);
    if (scope.pr !== null) this.grantPr(scope.pr);
  }

  /** Widens the scope by a pull request the orchestrator says is the run's. Never called with what an agent said. */
  grantPr(number: number): void {
    this.#ownPrs.add(checked(number));
  }

  isOwnPr(number: number): boolean {
    return this.#ownPrs.has(number);
  }

  /** What may be written to: the assigned issue, then the run's own pull requests. */
  get writable(): readonly number[] {
    return [...new Set([this.issue, ...this.#ownPrs])];
  }

  async readIssue(number: number): Promise<Issue> {
    return (await this.#forge()).readIssue(checked(number));
  }

  async readPr(number: number): Promise<PullRequest> {
    return (await this.#forge()).readPr(checked(number));
  }

  async readComments(number: number): Promise<Comment[]> {
    return (await this.#forge()).readComments(checked(number));
  }

  async readReviews(prNumber: number): Promise<Review[]> {
    return (await this.#forge()).readReviews(checked(prNumber));
  }

  async readDiff(prNumber: number): Promise<string> {
    return (await this.#forge()).readDiff(checked(prNumber));
  }

  async readChecks(prNumber: number): Promise<CheckStatus[]> {
    return (await this.#forge()).readChecks(checked(prNumber));
  }

  async postComment(number: number, body: string, marker: string): Promise<Comment> {
    const target = this.#writable('comment', number);
    await this.#requireClean(`the comment on #${String(target)}`, body);
    this.#allowance.take(marker, body);
    return this.#posts.work(async () => (await this.#forge()).postComment(target, body, marker));
  }

  async updateDescription(number: number, body: string): Promise<void> {
    const target = this.#writable('description update', number);
    await this.#requireClean(`the description of #${String(target)}`, body);
    return this.#posts.work(async () => (await this.#forge()).updateDescription(target, body));
  }

  #writable(operation: string, number: number): number {
    const target = checked(number);
    if (target === this.issue || this.#ownPrs.has(target)) return target;
    throw new ForgeScopeError(operation, `#${String(target)}`, OUTSIDE);
  }
}

/** Also for callers that got past the compiler: `"1/../2"`, 1.5, -1 and 2^53 never become part of a request. */
function checked(number: unknown): number {
  if (isForgeNumber(number)) return number;
  const shown = typeof number === 'string' ? JSON.stringify(number.slice(0, 40)) : String(number);
  throw new InvalidInputError(`not an issue or pull request number: ${shown}`);
}
