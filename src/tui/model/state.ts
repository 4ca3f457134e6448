/** What the dashboard knows and shows. Times are epoch milliseconds. */
import type { LiveRun } from '../../cli/base/orchestrator.js';
import type { Decision, ProposalDetail } from '../../cli/base/proposal-desk.js';
import type { ProposalDecisionRow, ProposalRow, RunOverviewRow } from '../../domain/run/rows.js';
import type { ModifiedProposal } from '../../domain/supervise/modified-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';

export interface State {
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** The rows were read once. */
  readonly loaded: boolean;
  readonly runs: readonly RunOverviewRow[];
  /** By slug: what a workflow knows better. */
  readonly live: ReadonlyMap<string, LiveRun>;
  /** Oldest first. */
  readonly waiting: readonly ProposalRow[];
  /** By the blob's reference: the first of what it would do. */
  readonly effects: ReadonlyMap<string, string>;
  /** By `keyOf`: what came of the decisions that were made here. */
  readonly progress: ReadonlyMap<string, Progress>;
  readonly pane: 'runs' | 'proposals';
  readonly run: Choice;
  readonly proposal: Choice;
  readonly opened: Opened | null;
  readonly help: boolean;
  /** It was asked to quit while a decision is under way. */
  readonly leaving: boolean;
  /** What does not answer; `null`: nothing is known to be away. */
  readonly problems: { readonly rows: string | null; readonly live: string | null };
  /** The last that is to be told, until a key is pressed. */
  readonly notice: string | null;
}

/** What is chosen in a list, by its key: the list may change around it. */
export interface Choice {
  readonly key: string | null;
  /** Where it was last: what is there is chosen when the key is gone. */
  readonly index: number;
}

export interface Opened {
  readonly row: ProposalRow;
  /** `null` until it is read. */
  readonly detail: ProposalDetail | null;
  readonly unreadable: string | null;
  /** Somebody's, made meanwhile. */
  readonly decision: ProposalDecisionRow | null;
  readonly scroll: number;
  readonly step: Step;
  /** The operator's own version; kept until it is sent. */
  readonly edited: Edited | null;
}

export type Step =
  | { readonly kind: 'read' }
  /** It would be sent; asks for a yes. */
  | { readonly kind: 'confirm'; readonly decision: Decision }
  | { readonly kind: 'reason'; readonly text: string };

export interface Edited {
  readonly text: string;
  /** Where the file is. */
  readonly path: string;
  readonly read: ModifiedProposal;
}

export interface Progress {
  readonly kind: 'under_way' | 'done' | 'failed';
  readonly text: string;
}

/** What a key asks the world for. */
export type Command =
  | { readonly kind: 'quit' }
  | { readonly kind: 'read'; readonly row: ProposalRow }
  | { readonly kind: 'edit'; readonly row: ProposalRow; readonly shown: ShownProposal; readonly text: string }
  | { readonly kind: 'decide'; readonly row: ProposalRow; readonly decision: Decision };

export interface Pressed {
  readonly state: State;
  readonly command: Command | null;
}

export interface Key {
  readonly name:
    | 'up'
    | 'down'
    | 'page_up'
    | 'page_down'
    | 'home'
    | 'end'
    | 'enter'
    | 'escape'
    | 'tab'
    | 'backspace'
    | 'interrupt'
    | 'text';
  /** For `text`: what was typed; several characters when they came at once, such as pasted. */
  readonly text: string;
}

/** The key of the list's first entry: no run in particular. */
export const ALL_RUNS = '';
export const NARROWEST = 60;
export const LOWEST = 14;

export function initialState(size: { readonly columns: number; readonly rows: number }, now: number): State {
  return {
    ...{ now, ...size, loaded: false, runs: [], live: new Map(), waiting: [], effects: new Map() },
    ...{ progress: new Map(), pane: 'proposals', opened: null, help: false, leaving: false, notice: null },
    run: { key: ALL_RUNS, index: 0 },
    proposal: { key: null, index: 0 },
    problems: { rows: null, live: null },
  };
}

/** An id is one of a run's: another run may have the same. */
export function keyOf({ slug, id }: Pick<ProposalRow, 'slug' | 'id'>): string {
  return `${slug}/${id}`;
}

export function isTooSmall({ columns, rows }: Pick<State, 'columns' | 'rows'>): boolean {
  return columns < NARROWEST || rows < LOWEST;
}

/** Lines between the title and the two lines below. The terminal's last line stays empty. */
export function bodyHeight({ rows }: Pick<State, 'rows'>): number {
  return Math.max(1, rows - 4);
}
