import type { LogLine } from '../../domain/ports.js';

/** The engine stamps stdout and stderr in two threads; seen on a busy machine: a line 2.4 ms older than the one before. */
export const HOLD_MS = 20;

/**
 * Passes lines on in order of time, each held back for a moment. Whoever goes on after the last line seen would
 * otherwise miss an older one of the other stream that came behind it. Lines of the same time keep their order.
 */
export class TimeOrder {
  readonly #held: LogLine[] = [];
  #lastPush = 0;

  constructor(
    private readonly onLine: (line: LogLine) => void,
    private readonly now: () => number = Date.now,
  ) {}

  push(line: LogLine): void {
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.at ?? '') > line.at) place--;
    this.#held.splice(place, 0, line);
    this.#lastPush = this.now();
    const newest = this.#held.at(-1) ?? line;
    this.#releaseWhile(({ at }) => milliseconds(newest.at) - milliseconds(at) > HOLD_MS);
  }

  /** Everything, when nothing came for the time of the hold. */
  releaseIdle(): void {
    if (this.now() - this.#lastPush >= HOLD_MS) this.releaseAll();
  }

  releaseAll(): void {
    this.#releaseWhile(() => true);
  }

  /** A line is given up before it is passed on: a receiver that throws is not asked twice. */
  #releaseWhile(ready: (line: LogLine) => boolean): void {
    const first = this.#held.findIndex((line) => !ready(line));
    for (const line of this.#held.splice(0, first < 0 ? this.#held.length : first)) this.onLine(line);
  }
}

function milliseconds(at: string): number {
  return Date.parse(`${at.slice(0, 23)}Z`);
}
