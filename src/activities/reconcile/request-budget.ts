import type { ForgeFeed } from '../../domain/forge/forge-feed.js';
import type { PassEnd } from '../../domain/upkeep/reconcile.js';

/** Ends a pass where it stands: what was dealt with counts, the rest waits for the next pass. */
export class PassEnded extends Error {
  override readonly name = 'PassEnded';

  constructor(
    readonly end: PassEnd,
    readonly detail: string | null = null,
    options?: { cause?: unknown },
  ) {
    super(detail ?? end, options);
  }
}

/** What a pass may cost: requests to the forge, and time. */
export class RequestBudget {
  #used = 0;
  /** What calls of this step took beyond one request each. */
  #beyond = 0;

  constructor(
    private readonly limit: number,
    private readonly mayGoOn: () => PassEnd | undefined,
  ) {}

  get used(): number {
    return this.#used + this.#beyond;
  }

  /**
   * Before each step. What a step's calls take beyond one request each counts from the next one on: if it ended the step
   * itself, that would begin again in every pass, and never be through.
   */
  nextStep(): void {
    this.#used += this.#beyond;
    this.#beyond = 0;
  }

  /** Before each call. Errors: `PassEnded`. */
  take(): void {
    const end = this.mayGoOn() ?? (this.#used >= this.limit ? 'budget' : undefined);
    if (end !== undefined) throw new PassEnded(end);
    this.#used += 1;
  }

  /** @param requests that a call has sent */
  sent(requests: number): void {
    this.#beyond += requests - 1;
  }
}

/** The same feed, whose requests are counted. One call at a time. */
export function counted(feed: ForgeFeed, budget: RequestBudget): ForgeFeed {
  const call = async <T>(request: () => Promise<T>): Promise<T> => {
    budget.take();
    const before = feed.requests;
    try {
      return await request();
    } finally {
      budget.sent(feed.requests - before);
    }
  };
  return {
    forge: feed.forge,
    get requests() {
      return feed.requests;
    },
    changed: (source, since, page) => call(() => feed.changed(source, since, page)),
    comments: (place, since, page) => call(() => feed.comments(place, since, page)),
    subject: (place, number) => call(() => feed.subject(place, number)),
    pull: (place, number) => call(() => feed.pull(place, number)),
    reviews: (place, pull, page) => call(() => feed.reviews(place, pull, page)),
    remarks: (place, pull, review) => call(() => feed.remarks(place, pull, review)),
    failedChecks: (place, sha) => call(() => feed.failedChecks(place, sha)),
    wasPushed: (place, pull, since) => call(() => feed.wasPushed(place, pull, since)),
    whoAmI: () => call(() => feed.whoAmI()),
    whereIs: (repoId) => call(() => feed.whereIs(repoId)),
  };
}
