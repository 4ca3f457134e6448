/** What a forge tells of its changes, from lists in memory: for its faults, and for what a pass makes of each answer. */
import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import { sourceName } from '../../../src/domain/forge/forge-feed.js';
import type {
  FeedComment,
  FeedPage,
  FeedPull,
  FeedRemark,
  FeedReview,
  FeedSource,
  FeedSubject,
  ForgeFeed,
} from '../../../src/domain/forge/forge-feed.js';
import type { ForgeUser, Place, PullRequestHead } from '../../../src/domain/forge/issue.js';

export const NOW = Date.parse('2026-11-23T10:00:00.000Z');
export const PLACE: Place = { repoId: 7, owner: 'alice', repo: 'demo' };
export const SHA = 'a'.repeat(40);
const HEAD: PullRequestHead = { ref: 'bot-bottle/12-abc12', sha: SHA, fromFork: false };

export function feedSubject(number: number, changes: Partial<FeedSubject> = {}): FeedSubject {
  const rest = { labels: [], assignees: [], updatedAt: NOW - 60_000 } as const;
  return { place: PLACE, number, isPull: false, state: 'open', ...rest, ...changes };
}

export class FeedHere implements ForgeFeed {
  readonly forge = 'gitea';
  /** Requests in order, `changed alice/demo all 1`. */
  readonly asked: string[] = [];
  requests = 0;
  /** How many requests more than one this takes. */
  more: (request: string) => number = () => 0;
  /** Where repositories are now. */
  places: readonly Place[] = [PLACE];
  issues: readonly FeedSubject[] = [];
  said: readonly FeedComment[] = [];
  /** Of a pull request, by its number. */
  heads: Readonly<Record<number, PullRequestHead>> = {};
  submitted: readonly FeedReview[] = [];
  /** Remarks of a review, by its id. */
  remarked: Readonly<Record<number, readonly FeedRemark[]>> = {};
  failing: readonly string[] = [];
  isPushed = false;
  readonly me: ForgeUser = { id: 3, login: 'bot' };
  pageSize = 50;
  /** The forge says its time. */
  at: number | null = NOW;
  fault: (request: string) => Error | undefined = () => undefined;

  changed(source: FeedSource, since: number | null, page: number): Promise<FeedPage<FeedSubject>> {
    return this.#ask(
      `changed ${sourceName(source)} ${since === null ? 'all' : 'since'} ${String(page)}`,
      () => {
        if (source.kind === 'repository') this.#there(source);
        const isOf = ({ place }: FeedSubject): boolean =>
          source.kind === 'all' ||
          (place.owner === source.owner && (source.kind === 'owner' || place.repo === source.repo));
        const isNew = ({ state, updatedAt }: FeedSubject): boolean =>
          since === null ? state === 'open' : updatedAt >= since;
        return this.#page(
          this.issues.filter((one) => isOf(one) && isNew(one)),
          page,
        );
      },
    );
  }

  comments(place: Place, since: number, page: number): Promise<FeedPage<FeedComment>> {
    return this.#ask(`comments ${place.repo} ${String(page)}`, () => {
      this.#there(place);
      return this.#page(
        this.said.filter(({ updatedAt }) => updatedAt >= since),
        page,
      );
    });
  }

  subject(place: Place, number: number): Promise<FeedSubject> {
    return this.#ask(`subject ${place.repo}#${String(number)}`, () => this.#subject(place, number));
  }

  pull(place: Place, number: number): Promise<FeedPull> {
    return this.#ask(`pull ${place.repo}#${String(number)}`, () => ({
      ...this.#subject(place, number),
      head: this.heads[number] ?? HEAD,
    }));
  }

  reviews(_place: Place, pull: number, page: number): Promise<FeedPage<FeedReview>> {
    return this.#ask(`reviews ${String(pull)} ${String(page)}`, () => this.#page(this.submitted, page));
  }

  remarks(_place: Place, _pull: number, review: number): Promise<readonly FeedRemark[]> {
    return this.#ask(`remarks ${String(review)}`, () => this.remarked[review] ?? []);
  }

  failedChecks(_place: Place, sha: string): Promise<readonly string[]> {
    return this.#ask(`checks ${sha.slice(0, 1)}`, () => this.failing);
  }

  wasPushed(_place: Place, pull: number, since: number): Promise<boolean> {
    return this.#ask(`pushed ${String(pull)} ${String(NOW - since)}`, () => this.isPushed);
  }

  whoAmI(): Promise<ForgeUser> {
    return this.#ask('me', () => this.me);
  }

  whereIs(repoId: number): Promise<Place | undefined> {
    return this.#ask(`where ${String(repoId)}`, () => this.places.find((place) => place.repoId === repoId));
  }

  #subject(place: Place, number: number): FeedSubject {
    const { owner, repo } = this.#there(place);
    const isIt = (one: FeedSubject): boolean =>
      one.place.owner === owner && one.place.repo === repo && one.number === number;
    return this.issues.find(isIt) ?? notFound();
  }

  #there({ owner, repo }: Pick<Place, 'owner' | 'repo'>): Place {
    return this.places.find((place) => place.owner === owner && place.repo === repo) ?? notFound();
  }

  #page<T>(all: readonly T[], page: number): FeedPage<T> {
    const items = all.slice((page - 1) * this.pageSize, page * this.pageSize);
    return { items, size: items.length, total: all.length, at: this.at };
  }

  #ask<T>(request: string, answer: () => T): Promise<T> {
    this.asked.push(request);
    this.requests += 1 + this.more(request);
    const error = this.fault(request);
    return error === undefined ? Promise.resolve().then(answer) : Promise.reject(error);
  }
}

function notFound(): never {
  throw new ForgeHttpError(404, 'GET', '/', 'not found');
}
