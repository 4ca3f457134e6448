/** The state after something came from the world. Pure. */
import type { LiveRun } from '../../cli/base/orchestrator.js';
import type { ProposalDetail } from '../../cli/base/proposal-desk.js';
import type { ProposalDecisionRow, ProposalRow, RunOverviewRow } from '../../domain/run/rows.js';
import { shortProposalId } from '../../domain/supervise/proposal.js';
import { withChoices } from './choice.js';
import { keyOf, type Edited, type Opened, type Progress, type State } from './state.js';

export interface Rows {
  readonly runs: readonly RunOverviewRow[];
  readonly waiting: readonly ProposalRow[];
}

export function withRows(state: State, { runs, waiting }: Rows, now: number): State {
  const there = new Set(waiting.map(keyOf));
  // A row may still be there when its decision is answered; later nobody asks for what came of it.
  const progress = [...state.progress].filter(([key, { kind }]) => kind === 'under_way' || there.has(key));
  return withChoices({
    ...state,
    ...{ now, runs, waiting, loaded: true, progress: new Map(progress) },
    problems: { ...state.problems, rows: null },
  });
}

/** The lists stay as they were. */
export function withRowsAway(state: State, problem: string, now: number): State {
  return { ...state, now, problems: { ...state.problems, rows: problem } };
}

/** @param problem why some did not answer */
export function withLive(state: State, live: ReadonlyMap<string, LiveRun>, problem: string | null): State {
  return { ...state, live, problems: { ...state.problems, live: problem } };
}

export function withEffect(state: State, ref: string, effect: string): State {
  return { ...state, effects: new Map([...state.effects, [ref, effect]]) };
}

export function withSize(state: State, size: { readonly columns: number; readonly rows: number }): State {
  return { ...state, ...size };
}

export function withNotice(state: State, notice: string): State {
  return { ...state, notice };
}

/** The blob of the opened one was read. Another one's is of no interest any more. */
export function withDetail(state: State, row: ProposalRow, detail: ProposalDetail): State {
  return withOpened(state, row, { detail, unreadable: null });
}

export function withUnreadable(state: State, row: ProposalRow, unreadable: string): State {
  return withOpened(state, row, { unreadable });
}

/** Nothing can be decided any more; what was begun is taken back. */
export function withDecision(state: State, row: ProposalRow, decision: ProposalDecisionRow): State {
  return withOpened(state, row, { decision, step: { kind: 'read' } });
}

/** A version that can be used asks for a yes at once. */
export function withEdited(state: State, row: ProposalRow, edited: Edited): State {
  const { read } = edited;
  const step: Opened['step'] =
    read.kind === 'modified'
      ? { kind: 'confirm', decision: { verdict: 'modify', modified: read.shown, notes: null } }
      : { kind: 'read' };
  return withOpened(state, row, { edited, step, scroll: 0 });
}

export function withProgress(state: State, row: ProposalRow, progress: Progress): State {
  const known = { ...state, progress: new Map([...state.progress, [keyOf(row), progress]]) };
  if (progress.kind === 'under_way') return known;
  // Whoever was asked about leaving it is to read what came of it.
  return { ...known, leaving: false, notice: `${shortProposalId(row.id)} of ${row.slug}: ${progress.text}` };
}

function withOpened(state: State, row: ProposalRow, change: Partial<Opened>): State {
  const { opened } = state;
  // By what it says, too: a decision is bound to the row that is shown.
  if (opened === null || keyOf(opened.row) !== keyOf(row) || opened.row.ref !== row.ref) return state;
  return { ...state, opened: { ...opened, ...change } };
}
