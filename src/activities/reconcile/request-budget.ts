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

  constructor(
    private readonly limit: number,
    private readonly mayGoOn: () => PassEnd | undefined,
  ) {}

  get used(): number {
    return this.#used;
  }

  /** Before each request. Errors: `PassEnded`. */
  take(): void {
    const end = this.mayGoOn() ?? (this.#used >= this.limit ? 'budget' : undefined);
    if (end !== undefined) throw new PassEnded(end);
    this.#used += 1;
  }
}

/** The same feed, each of whose calls is counted: a call is one request. */
export function counted(feed: ForgeFeed, budget: RequestBudget): ForgeFeed {
  const call = async <T>(request: () => Promise<T>): Promise<T> => {
    budget.take();
    return request();
  };
  return {
    forge: feed.forge,
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
