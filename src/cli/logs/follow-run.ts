import { setTimeout as sleep } from 'node:timers/promises';
import { LineSplitter } from './log-lines.js';
import type { RunLogs, TurnFacts } from '../base/run-logs.js';

const POLL_MS = 250;

/** What a run's logs have, in order. */
export type LogEntry =
  | { readonly kind: 'turn_begun'; readonly turn: number; readonly facts: TurnFacts }
  /** A line as it is in the file, without its end. */
  | { readonly kind: 'line'; readonly turn: number; readonly line: string }
  /** The turn is over, and nothing was kept of its output. */
  | { readonly kind: 'no_log'; readonly turn: number }
  | { readonly kind: 'turn_ended'; readonly turn: number; readonly facts: TurnFacts }
  /** The run is frozen: nothing more until its next turn. */
  | { readonly kind: 'waiting' };

export interface FollowOptions {
  readonly follow: boolean;
  /** Only this turn; `null` for all of them. */
  readonly turn: number | null;
  /** Turns from this one on; absent: from the first. */
  readonly first?: number;
  /** `now`: what comes from here on. */
  readonly from: 'start' | 'now';
  readonly signal: AbortSignal;
}

/**
 * Reads the log files alone, which only grow, so a worker that is started again makes no gap and no repeat. Ends with what
 * there is, or with `follow` when the run is over, when the one turn has ended, or when the signal aborts.
 */
export async function* followRun(
  logs: RunLogs,
  slug: string,
  options: FollowOptions,
): AsyncGenerator<LogEntry, void, undefined> {
  const { follow, turn: only, first = 1, signal } = options;
  let fromEnd = options.from === 'now';
  let next = only ?? (fromEnd ? ((await logs.turns(slug)).at(-1) ?? 1) : first);
  let saidWaiting = false;
  while (!signal.aborted) {
    // Asked first: what is found after it is all there will be.
    const isOver = await logs.isOver(slug);
    const turns = await logs.turns(slug);
    const turn = turns.find((one) => (only === null ? one >= next : one === only));
    if (turn !== undefined) {
      yield* readTurn(logs, slug, turn, { ...options, fromEnd });
      if (only !== null) return;
      next = turn + 1;
      saidWaiting = false;
    } else if (!follow || isOver || (only !== null && turns.some((one) => one > only))) return;
    else {
      if (!saidWaiting) yield { kind: 'waiting' };
      saidWaiting = true;
      await pause(signal);
    }
    fromEnd = false;
  }
}

async function* readTurn(
  logs: RunLogs,
  slug: string,
  turn: number,
  { follow, fromEnd, signal }: FollowOptions & { readonly fromEnd: boolean },
): AsyncGenerator<LogEntry, void, undefined> {
  const facts = await logs.facts(slug, turn);
  if (fromEnd && facts.end !== null) return;
  yield { kind: 'turn_begun', turn, facts };
  const splitter = new LineSplitter();
  let offset = fromEnd ? await lastLineStart(logs, slug, turn) : 0;
  for (;;) {
    const isClosed = !follow || (await isPast(logs, slug, turn));
    for (;;) {
      const piece = await logs.read(slug, turn, offset);
      if (piece.length === 0 || signal.aborted) break;
      offset += piece.length;
      for (const line of splitter.push(piece)) yield { kind: 'line', turn, line };
    }
    if (signal.aborted) return;
    if (isClosed) break;
    await pause(signal);
  }
  for (const line of splitter.rest()) yield { kind: 'line', turn, line };
  const now = await logs.facts(slug, turn);
  if (now.end === null) return;
  if ((await logs.size(slug, turn)) === null) yield { kind: 'no_log', turn };
  yield { kind: 'turn_ended', turn, facts: now };
}

/** Its log grows no more: the worker writes it to its end before it says that the turn has ended. */
async function isPast(logs: RunLogs, slug: string, turn: number): Promise<boolean> {
  if ((await logs.facts(slug, turn)).end !== null || (await logs.isOver(slug))) return true;
  return (await logs.turns(slug)).some((one) => one > turn);
}

/** Where the line begins that is being written, so that it is shown whole. */
async function lastLineStart(logs: RunLogs, slug: string, turn: number): Promise<number> {
  const size = (await logs.size(slug, turn)) ?? 0;
  let step = 4096;
  for (let from = size; from > 0; step *= 4) {
    from = Math.max(0, size - step);
    const piece = (await logs.read(slug, turn, from)).subarray(0, size - from);
    const newline = piece.lastIndexOf(0x0a);
    if (newline !== -1) return from + newline + 1;
  }
  return 0;
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
}
