/** What is chosen in the two lists, and which part of them is seen. Pure. */
import type { ProposalRow, RunOverviewRow } from '../../domain/run/rows.js';
import { ALL_RUNS, bodyHeight, keyOf, type Choice, type State } from './state.js';

/** Lines of an entry, in both lists. */
export const ENTRY_LINES = 2;
/** Of a list. */
const HEADING_LINES = 1;

export interface Window<T> {
  readonly entries: readonly T[];
  /** Of the first one that is seen, in the whole list. */
  readonly first: number;
  readonly all: number;
}

/** Keys of the list of runs: all of them first. */
export function runKeys({ runs }: Pick<State, 'runs'>): readonly string[] {
  return [ALL_RUNS, ...runs.map(({ slug }) => slug)];
}

/** Those that wait of the chosen run. */
export function proposalsShown({ waiting, run }: Pick<State, 'waiting' | 'run'>): readonly ProposalRow[] {
  return run.key === ALL_RUNS ? waiting : waiting.filter(({ slug }) => slug === run.key);
}

/** The choice again after the list has changed: the same entry, else what is now in its place. */
export function kept({ key, index }: Choice, keys: readonly string[]): Choice {
  const at = key === null ? -1 : keys.indexOf(key);
  if (at >= 0) return { key, index: at };
  const near = Math.max(0, Math.min(index, keys.length - 1));
  return { key: keys[near] ?? null, index: near };
}

export function moved(choice: Choice, keys: readonly string[], by: number): Choice {
  const { index } = kept(choice, keys);
  const to = Math.max(0, Math.min(keys.length - 1, index + by));
  return { key: keys[to] ?? null, index: to };
}

/** With both choices among what is there. */
export function withChoices(state: State): State {
  const run = kept(state.run, runKeys(state));
  const proposal = kept(state.proposal, proposalsShown({ ...state, run }).map(keyOf));
  return { ...state, run, proposal };
}

/** Entries of a list that fit on the screen. */
export function entriesSeen(state: Pick<State, 'rows'>): number {
  return Math.max(1, Math.floor((bodyHeight(state) - HEADING_LINES) / ENTRY_LINES));
}

export function runsSeen(state: State): Window<RunOverviewRow | null> {
  return windowOf([null, ...state.runs], state.run.index, entriesSeen(state));
}

export function proposalsSeen(state: State): Window<ProposalRow> {
  return windowOf(proposalsShown(state), state.proposal.index, entriesSeen(state));
}

/** A page of the list, the one that has the chosen entry: nothing moves until the page is left. */
function windowOf<T>(entries: readonly T[], index: number, size: number): Window<T> {
  const first = Math.floor(Math.max(0, index) / size) * size;
  return { entries: entries.slice(first, first + size), first, all: entries.length };
}
