import type { ProposalDetail } from '../../../src/cli/base/proposal-desk.js';
import type { ProposalRow, RunOverviewRow } from '../../../src/domain/run/rows.js';
import { withDetail, withRows } from '../../../src/tui/model/arrive.js';
import { press } from '../../../src/tui/model/press.js';
import { initialState, type Command, type Key, type State } from '../../../src/tui/model/state.js';
import { shownProposal } from '../../support/supervise/shown.js';

export const NOW = Date.parse('2026-11-23T12:00:00.000Z');
export const detail: ProposalDetail = { shown: shownProposal(), modified: null, notes: null };

export const run = (slug: string): RunOverviewRow => ({
  ...{ slug, workflowId: 'gitea:alice/demo#12', phase: 'running', reason: null },
  ...{ createdAt: NOW - 240_000, turn: 2, microUsd: 1_230_000 },
});

export const proposal = (n: number, slug = 'a'): ProposalRow => ({
  ...{ slug, id: String(n).repeat(32).slice(0, 32), workflowId: 'gitea:alice/demo#12' },
  ...{
    tool: 'pipelock-block' as const,
    turn: 2,
    at: NOW - n * 1_000,
    ref: String(n).repeat(64),
    origin: 'agent' as const,
  },
});

/** At 80×24, with runs `a` and `b`. */
export function someState(waiting: readonly ProposalRow[]): State {
  const empty = initialState({ columns: 80, rows: 24 }, NOW);
  return withRows(empty, { runs: [run('a'), run('b')], waiting }, NOW);
}

const NAMES: readonly string[] = [
  ...['up', 'down', 'page_up', 'page_down', 'home', 'end'],
  ...['enter', 'escape', 'tab', 'backspace', 'interrupt'],
];

function keyOf(name: string): Key {
  return NAMES.includes(name) ? { name: name as Key['name'], text: '' } : { name: 'text', text: name };
}

/** The keys one after the other; what is no key's name is typed, at once. */
export function pressed(
  state: State,
  ...keys: readonly string[]
): { readonly state: State; readonly commands: readonly Command[] } {
  const commands: Command[] = [];
  let now = state;
  for (const key of keys) {
    const { state: next, command } = press(now, keyOf(key));
    now = next;
    if (command !== null) commands.push(command);
  }
  return { state: now, commands };
}

/** With the first proposal open, and read. */
export function openedState(rows: readonly ProposalRow[] = [proposal(1)]): State {
  const { state } = pressed(someState(rows), 'enter');
  return withDetail(state, state.opened?.row ?? proposal(1), detail);
}
