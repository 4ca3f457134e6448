/** The whole screen as lines: a title, one or two panes, what happened last, the keys. Pure. */
import type { Decision } from '../../cli/base/proposal-desk.js';
import { cell, EMPTY, lastOf, line, safe, type Line } from '../model/line.js';
import { openedText, ownVersion } from '../model/opened-text.js';
import { bodyHeight, isTooSmall, LOWEST, NARROWEST, type Opened, type State } from '../model/state.js';
import { HELP } from './help.js';
import { proposalLines, runLines } from './lists.js';

export interface Frame {
  readonly title: Line;
  readonly panes: readonly Pane[];
  readonly said: Line;
  readonly keys: Line;
}

export interface Pane {
  readonly columns: number;
  /** As many as the body is high. */
  readonly lines: readonly Line[];
}

const BETWEEN = ' │ ';

/** A text instead, where the terminal is too small for more. */
export function frameOf(state: State): Frame | string {
  const { columns, rows } = state;
  if (isTooSmall(state))
    return `${String(columns)}×${String(rows)} is too small: ${String(NARROWEST)}×${String(LOWEST)} at least; q quits`;
  return {
    title: titleOf(state),
    panes: panesOf(state),
    said: saidOf(state),
    keys: [{ text: cell(` ${keysOf(state)}`, columns), look: 'faint' }],
  };
}

function titleOf(state: State): Line {
  const { columns, runs, waiting, now, loaded } = state;
  const counts = loaded
    ? `${counted(runs.length, 'run', 'runs')}, ${counted(waiting.length, 'proposal waits', 'proposals wait')}`
    : '';
  const clock = new Date(now).toISOString().slice(11, 19);
  const left = ` bot-bottle dashboard   ${counts}`;
  return [{ text: cell(cell(left, columns - 12) + `${clock}Z `, columns), look: 'strong' }];
}

function counted(count: number, one: string, several: string): string {
  return `${String(count)} ${count === 1 ? one : several}`;
}

function panesOf(state: State): readonly Pane[] {
  const { columns, opened } = state;
  const height = bodyHeight(state);
  const filled = (lines: readonly Line[]): Line[] =>
    Array.from({ length: height }, (_, index) => lines[index] ?? EMPTY);
  if (state.help) return [{ columns, lines: filled(HELP.map((text) => line(text))) }];
  if (opened !== null) return [{ columns, lines: filled(partOf(state, opened)) }];
  const left = Math.floor(columns * 0.42);
  const right = columns - left - BETWEEN.length;
  return [
    { columns: left, lines: filled(runLines(state, left)) },
    { columns: BETWEEN.length, lines: filled(Array.from({ length: height }, () => line(BETWEEN, 'faint'))) },
    { columns: right, lines: filled(proposalLines(state, right)) },
  ];
}

function partOf(state: State, opened: Opened): readonly Line[] {
  const text = openedText(opened, state);
  const height = bodyHeight(state);
  const from = Math.max(0, Math.min(opened.scroll, text.length - height));
  return text.slice(from, from + height);
}

/** A question first: it is what the keys below answer. */
function saidOf(state: State): Line {
  const { columns, opened, notice, problems } = state;
  const said = (text: string, look: 'alarm' | 'strong'): Line => [
    { text: cell(` ${safe(text)}`, columns), look },
  ];
  if (state.leaving) return said('a decision is under way and may not have arrived: q again quits', 'alarm');
  if (opened?.step.kind === 'reason') {
    // The end of what is typed is what is looked at.
    return [{ text: lastOf(` ${safe(`reason: ${opened.step.text}`)}_`, columns - 1), look: 'strong' }];
  }
  if (opened?.step.kind === 'confirm') return said(`${questionOf(opened.step.decision)} y/n`, 'alarm');
  const problem = problems.rows ?? problems.live;
  if (notice !== null) return said(notice, 'strong');
  return problem === null ? EMPTY : said(problem.replace(/\s+/g, ' '), 'alarm');
}

function questionOf(decision: Decision): string {
  if (decision.verdict === 'modify') return 'let your version take effect?';
  return decision.verdict === 'approve' && decision.withNetwork === true
    ? 'build it WITH A NETWORK: its steps run as root and reach any host?'
    : 'approve it?';
}

function keysOf(state: State): string {
  const { opened } = state;
  if (state.help) return 'any key: back';
  if (opened === null) return 'j/k move  Tab other list  Enter open  ? help  q quit';
  if (opened.step.kind === 'reason') return safe(state.notice ?? 'Enter: reject with this reason  Esc: back');
  if (opened.step.kind === 'confirm')
    return `y: yes${opened.step.decision.verdict === 'modify' ? '  m: edit again' : ''}  any other key: no  j/k scroll`;
  const end = openedText(opened, state).length;
  const to = Math.min(end, opened.scroll + bodyHeight(state));
  const place = end <= bodyHeight(state) ? '' : `  ${String(to)}/${String(end)}`;
  const own = ownVersion(opened);
  const network = own === null && opened.row.tool === 'capability-block' ? 'n with network  ' : '';
  const isDecidable = opened.decision === null && opened.detail !== null;
  const ways = isDecidable ? `a approve${own === null ? '' : ' yours'}  ${network}m modify  r reject  ` : '';
  return `${ways}j/k scroll  Esc back  ? help${place}`;
}
