/** The runs as `orchestrate status` shows them to people. Pure. */
import { escapeTerminal } from '../../domain/text/escape.js';
import { wrap } from '../base/wrap.js';
import { age } from '../base/age.js';
import type { RunSummary } from '../base/orchestrator.js';
import { displayWidth, table } from '../base/output.js';

const INDENT = '  ';
const STALE = 'stale: the run’s workflow could not be asked, so this is what its row said last';

export interface StatusLook {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the terminal; `null` when it is none: then no line is too long. */
  readonly columns: number | null;
}

/** A table where it fits, else some lines a run. */
export function statusText(runs: readonly RunSummary[], { now, columns }: StatusLook): string {
  const width = columns ?? Infinity;
  const lines =
    tableOf(runs, now, width) ??
    runs.flatMap((run, index) => [...(index === 0 ? [] : ['']), ...block(run, now, width)]);
  const note = runs.some(({ stale }) => stale) ? ['', ...wrap(STALE, width)] : [];
  return [...lines, ...note].map((line) => `${line}\n`).join('');
}

interface Column {
  readonly name: string;
  readonly cell: (run: RunSummary, now: number) => string;
}

const COLUMNS: readonly Column[] = [
  { name: 'ISSUE', cell: ({ issue }) => issue ?? '-' },
  { name: 'AGENT', cell: ({ agent }) => agent },
  { name: 'BOTTLES', cell: ({ bottles }) => listed(bottles) },
  { name: 'SLUG', cell: ({ slug }) => slug },
  { name: 'BACKEND', cell: ({ backend }) => backend },
  { name: 'GIT USER', cell: ({ gitUser }) => gitUser },
  { name: 'STATUS', cell: ({ status }) => status },
  { name: 'PHASE', cell: ({ phase, stale }) => (stale ? `${phase} (stale)` : phase) },
  { name: 'REASON', cell: ({ reason }) => reason ?? '-' },
  { name: 'CHECK-IN', cell: ({ lastCheckinAt }, now) => checkin(lastCheckinAt, now) },
  { name: 'PR', cell: ({ pr }) => (pr === null ? '-' : `#${String(pr)}`) },
];

/** `undefined` where it does not fit. */
function tableOf(runs: readonly RunSummary[], now: number, width: number): string[] | undefined {
  const cells = runs.map((run) => COLUMNS.map(({ cell }) => cell(run, now)));
  const names = COLUMNS.map(({ name }) => name);
  const [header = '', ...rows] = table(names, cells).trimEnd().split('\n');
  if ([header, ...rows].some((line) => displayWidth(line) > width)) return undefined;
  return [
    header,
    ...runs.flatMap((run, index) => [rows[index] ?? '', ...addresses(run, width), ...detailOf(run, width)]),
  ];
}

function block(run: RunSummary, now: number, width: number): string[] {
  const { issue, slug, agent, bottles, backend, gitUser } = run;
  const { status, phase, reason, lastCheckinAt, pr, stale } = run;
  const heading = [
    ...(issue === null ? [status] : [`${issue}  ${status}`]),
    ...(phase === status ? [] : [`phase ${phase}`]),
    ...(stale ? ['stale'] : []),
    ...(reason === null ? [] : [`reason ${reason}`]),
    `check-in ${checkin(lastCheckinAt, now)}`,
    ...(pr === null ? [] : [`PR #${String(pr)}`]),
  ].join(', ');
  return [
    ...wrap(escapeTerminal(heading), width),
    ...indented(`agent ${agent}, bottles ${listed(bottles)}`, width),
    ...indented(`${slug}, ${backend}, git user ${gitUser}`, width),
    ...addresses(run, width),
    ...detailOf(run, width),
  ];
}

/** Of issue and pull request, in one line where they fit. They are opened or copied: a terminal may break them, we may not. */
function addresses({ issue, issueUrl, prUrl }: RunSummary, width: number): string[] {
  const urls = [...new Set([...(issue === null ? [] : [issueUrl]), ...(prUrl === null ? [] : [prUrl])])];
  const lines = urls.map((url) => INDENT + escapeTerminal(url));
  const line = lines.join('');
  return lines.length > 1 && displayWidth(line) <= width ? [line] : lines;
}

function detailOf({ detail, step, fetch }: RunSummary, width: number): string[] {
  const lines = [...(detail ?? '').split('\n'), stepText(step)].filter((line) => line.trim() !== '');
  // A command is copied: a terminal may break its line, we may not.
  const command = fetch === null ? [] : [INDENT + escapeTerminal(fetch)];
  return [...lines.flatMap((line) => indented(line, width)), ...command];
}

function stepText(step: RunSummary['step']): string {
  if (step === null) return '';
  const { activity, attempt, error } = step;
  const why = error === null ? '' : `, after: ${error.replace(/\s+/g, ' ')}`;
  return `waits for ${activity}, attempt ${String(attempt)}${why}`;
}

function indented(text: string, width: number): string[] {
  return wrap(escapeTerminal(text), width - INDENT.length).map((line) => INDENT + line);
}

function checkin(at: number | null, now: number): string {
  return at === null ? '-' : `${age(now - at)} ago`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? '-' : names.join(',');
}
