import type { Feed, Source } from './feed.js';

export interface Step {
  readonly name: string;
  /** Milliseconds since the step before it. */
  readonly ms: number;
}

/** The demo's steps in their order, each told when it has been seen. */
export class Steps {
  readonly all: Step[] = [];
  private last: number;

  /** @param startedAt epoch milliseconds */
  constructor(
    private readonly feed: Feed,
    startedAt: number,
  ) {
    this.last = startedAt;
  }

  /** @param at epoch milliseconds when it happened, by the clock of where it was seen */
  done(name: string, at: number, source: Source, text: string): void {
    this.all.push({ name, ms: Math.max(0, Math.round(at - this.last)) });
    this.last = Math.max(this.last, at);
    this.feed.add({ at, source, text, step: true });
  }
}
