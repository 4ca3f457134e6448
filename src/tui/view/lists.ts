/** The two lists, as lines of their panes. Pure. */
import { age } from '../../cli/base/age.js';
import { shortProposalId } from '../../domain/supervise/proposal.js';
import type { ProposalRow, RunOverviewRow } from '../../domain/run/rows.js';
import { proposalsSeen, runsSeen, type Window } from '../model/choice.js';
import { cell, EMPTY, line, middle, safe, type Line, type Look } from '../model/line.js';
import { ALL_RUNS, keyOf, type State } from '../model/state.js';

export function runLines(state: State, columns: number): Line[] {
  const seen = runsSeen(state);
  const counts = new Map<string, number>();
  for (const { slug } of state.waiting) counts.set(slug, (counts.get(slug) ?? 0) + 1);
  const entries = seen.entries.flatMap((run) => {
    const look = lookOf(state, 'runs', (run?.slug ?? ALL_RUNS) === state.run.key);
    const waiting = run === null ? state.waiting.length : (counts.get(run.slug) ?? 0);
    const mark = waiting === 0 ? '' : ` !${String(waiting)}`;
    const name = run === null ? 'all runs' : middle(run.slug, columns - 2 - mark.length);
    return [
      entryLine(name, mark, look, columns),
      line(cell(`    ${run === null ? 'proposals that wait' : factsOf(state, run)}`, columns), 'faint'),
    ];
  });
  return [heading(state, 'runs', 'Runs', seen, columns), ...entries];
}

function factsOf({ live, now }: State, run: RunOverviewRow): string {
  const { phase, turn, microUsd } = { ...run, ...live.get(run.slug) };
  const facts = [
    phase === 'frozen' && run.reason !== null ? run.reason : phase,
    ...(run.createdAt === null ? [] : [age(now - run.createdAt)]),
    `turn ${String(turn)}`,
    cost(microUsd),
  ];
  return safe(facts.join('  '));
}

/** US dollars. */
export function cost(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}

export function proposalLines(state: State, columns: number): Line[] {
  const seen = proposalsSeen(state);
  const entries = seen.entries.flatMap((row) => [
    entryLine(
      safe(`${shortProposalId(row.id)} ${row.tool}`),
      ` ${age(state.now - row.at)}`,
      lookOf(state, 'proposals', keyOf(row) === state.proposal.key),
      columns,
    ),
    line(cell(`    ${whatOf(state, row)}`, columns), lookOfWhat(state, row)),
  ]);
  const none = state.loaded ? 'no proposal waits' : 'the rows are read …';
  return [
    heading(state, 'proposals', 'Proposals', seen, columns),
    ...(entries.length === 0 ? [EMPTY, line(`  ${none}`, 'faint')] : entries),
  ];
}

function whatOf({ effects, progress }: State, row: ProposalRow): string {
  return safe(progress.get(keyOf(row))?.text ?? effects.get(row.ref) ?? '…');
}

function lookOfWhat({ progress }: State, row: ProposalRow): Look {
  return progress.has(keyOf(row)) ? 'alarm' : 'plain';
}

/** Told without colour, too: by a mark before the chosen entry of the pane that has the keys. */
function lookOf(state: State, pane: State['pane'], isChosen: boolean): Look {
  if (!isChosen) return 'plain';
  return state.pane === pane ? 'chosen' : 'strong';
}

function entryLine(name: string, end: string, look: Look, columns: number): Line {
  const mark = look === 'chosen' ? '> ' : look === 'strong' ? '* ' : '  ';
  return [{ text: mark + cell(name, columns - mark.length - end.length) + end, look }];
}

function heading(
  state: State,
  pane: State['pane'],
  title: string,
  { entries, first, all }: Window<unknown>,
  columns: number,
): Line {
  const part =
    all === entries.length ? '' : ` ${String(first + 1)}–${String(first + entries.length)} of ${String(all)}`;
  const text = `${state.pane === pane ? `[${title}]` : ` ${title} `}${part}`;
  return [{ text: cell(text, columns), look: state.pane === pane ? 'strong' : 'faint' }];
}
