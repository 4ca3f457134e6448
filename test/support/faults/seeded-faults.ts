import { setTimeout as sleep } from 'node:timers/promises';
import { NO_FAULT } from './fault.js';
import type { Fault, ProxiedRequest } from './fault.js';

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the list. Errors: it is empty. */
export function pick<T>(random: () => number, list: readonly T[]): T {
  const [chosen] = list.slice(Math.floor(random() * list.length));
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}

const briefly = (): Promise<void> => sleep(20);

/** Every fault a way to a forge can have, by name, with the forge having acted or not. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'reset before': { kind: 'reset_before' },
  'reset after': { kind: 'reset_after' },
  'late request': { kind: 'hold_request', until: briefly },
  'late answer': { kind: 'hold_answer', until: briefly },
  '429 before': { kind: 'status', status: 429, forwarded: false, retryAfter: '1' },
  '500 before': { kind: 'status', status: 500, forwarded: false },
  '500 after': { kind: 'status', status: 500, forwarded: true },
  '502 before': { kind: 'status', status: 502, forwarded: false },
  '502 after': { kind: 'status', status: 502, forwarded: true },
  truncated: { kind: 'truncated', hidden: false },
  'truncated, with the length of the rest': { kind: 'truncated', hidden: true },
  'slow drip': { kind: 'slow_drip', pieces: 5, everyMs: 2 },
};

/**
 * Draws a fault for each request: for an operation's first write always, for its further ones often, for reads
 * sometimes; after `most` of them none until the next operation, so that whoever repeats a bounded number of times
 * gets through. Each kind of operation goes through all the faults before it meets one again.
 */
export class SeededFaults {
  /** `<operation> <fault>` of every fault on a write. */
  readonly met = new Set<string>();
  #decks = new Map<string, string[]>();
  #operation = '';
  #left = 0;
  #writes = 0;

  constructor(
    private readonly random: () => number,
    private readonly most: number,
  ) {}

  /** A new operation begins. */
  begin(operation: string): void {
    this.#operation = operation;
    this.#left = this.most;
    this.#writes = 0;
  }

  readonly choose = (request: ProxiedRequest): Fault => {
    const write = isWrite(request);
    const likely = !write ? 0.1 : this.#writes === 0 ? 1 : 0.5;
    if (write) this.#writes += 1;
    if (this.#left === 0 || this.random() >= likely) return NO_FAULT;
    this.#left -= 1;
    const name = write ? this.#draw() : pick(this.random, Object.keys(FAULTS));
    if (write) this.met.add(`${this.#operation}: ${name}`);
    return FAULTS[name] ?? NO_FAULT;
  };

  #draw(): string {
    const kept = this.#decks.get(this.#operation) ?? [];
    const deck = kept.length > 0 ? kept : Object.keys(FAULTS);
    const name = pick(this.random, deck);
    this.#decks.set(
      this.#operation,
      deck.filter((other) => other !== name),
    );
    return name;
  }
}

/** Also git's push; its fetch is a POST that only reads. */
export function isWrite({ method, target }: ProxiedRequest): boolean {
  return method !== 'GET' && !target.endsWith('/git-upload-pack');
}
