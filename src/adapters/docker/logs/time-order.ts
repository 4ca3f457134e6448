import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';

/** The engine stamps stdout and stderr in two threads; seen on a busy machine: a line 2.4 ms older than the one before. */
const HOLD_MS = 50;
/** How often `tick` is to be called. */
export const TICK_MS = 25;
/** Of two ticks in a row without a line at least one came after what was waiting had been read. */
const IDLE_TICKS = 2;

/**
 * Passes lines on in order of time, each held back for a moment. Whoever goes on after the last line seen would
 * otherwise miss an older one of the other stream that came behind it. Lines of the same time keep their order.
 */
export class TimeOrder {
  #held: LogLine[] = [];
  #ticks = 0;

  constructor(private readonly onLine: (line: LogLine) => void) {}

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  push(line: LogLine): void {
    let place = this.#held.length;
    while (place > 0 && (this.#held[place - 1]?.at ?? '') > line.at) place--;
    this.#held.splice(place, 0, line);
    this.#ticks = 0;
    const edge = milliseconds((this.#held.at(-1) ?? line).at) - HOLD_MS;
    const first = this.#held.findIndex(({ at }) => milliseconds(at) >= edge);
    this.#release(first < 0 ? this.#held.length : first);
  }

  tick(): void {
    if (++this.#ticks >= IDLE_TICKS) this.releaseAll();
  }

  releaseAll(): void {
    this.#release(this.#held.length);
  }

  /** Forgets what is held back, to be read again. */
  clear(): void {
    this.#held = [];
  }

  #release(count: number): void {
    if (count > 0) for (const line of this.#held.splice(0, count)) this.onLine(line);
  }
}

function milliseconds(at: string): number {
  return Date.parse(`${at.slice(0, 23)}Z`);
}
