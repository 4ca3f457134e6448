/** The runs as `orchestrate status` shows them to people. Pure. */
import { escapeTerminal } from '../../domain/escape.js';
import { wrap } from '../logs/wrap.js';
import type { RunSummary } from '../orchestrator.js';
import { displayWidth, table } from '../output.js';

const HEADER = [
  ...['ISSUE', 'SLUG', 'AGENT', 'BOTTLES', 'BACKEND', 'GIT USER'],
  ...['STATUS', 'PHASE', 'REASON', 'CHECK-IN', 'PR'],
];
const STALE = 'stale: the run’s workflow could not be asked, so this is what its row said last';

export interface StatusLook {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the terminal; `null` when it is none: then a run is one line, however long. */
  readonly columns: number | null;
}

/** A table, where it fits; else a block of lines a run. Details stand below their run. */
export function statusText(runs: readonly RunSummary[], { now, columns }: StatusLook): string {
  const width = columns ?? Infinity;
  const [header = '', ...rows] = table(
    HEADER,
    runs.map((run) => cells(run, now)),
  )
    .trimEnd()
    .split('\n');
  const fits = [header, ...rows].every((line) => displayWidth(line) <= width);
  const lines = fits
    ? [header, ...runs.flatMap((run, index) => [rows[index] ?? '', ...detailOf(run, '  ', width)])]
    : runs.flatMap((run, index) => [...(index === 0 ? [] : ['']), ...block(run, now, width)]);
  const note = runs.some(({ stale }) => stale) ? ['', ...wrap(STALE, width)] : [];
  return [...lines, ...note].map((line) => `${line}\n`).join('');
}

function cells(run: RunSummary, now: number): string[] {
  const { issue, slug, agent, bottles, backend, gitUser, status, reason } = run;
  const lastSeen = run.lastCheckinAt === null ? '-' : age(now - run.lastCheckinAt);
  return [
    ...[issue ?? '-', slug, agent, listed(bottles), backend, gitUser],
    ...[status, phaseOf(run), reason ?? '-', lastSeen, prOf(run) ?? '-'],
  ];
}

function block(run: RunSummary, now: number, width: number): string[] {
  const { issue, slug, agent, bottles, backend, gitUser, status, reason, lastCheckinAt } = run;
  const phase = phaseOf(run);
  const pr = prOf(run);
  const heading = [
    ...(issue === null ? [status] : [`${issue}  ${status}`]),
    ...(phase === status ? [] : [`phase ${phase}`]),
    ...(reason === null ? [] : [`reason ${reason}`]),
    `check-in ${lastCheckinAt === null ? '-' : age(now - lastCheckinAt)}`,
    ...(pr === null ? [] : [`PR ${pr}`]),
  ].join(', ');
  const rest = [slug, `agent ${agent}, bottles ${listed(bottles)}, ${backend}, git user ${gitUser}`];
  return [
    ...wrap(escapeTerminal(heading), width),
    ...rest.flatMap((text) => indented(text, '  ', width)),
    ...detailOf(run, '  ', width),
  ];
}

function detailOf({ detail, fetch }: RunSummary, indent: string, width: number): string[] {
  return [...(detail ?? '').split('\n'), fetch ?? '']
    .filter((line) => line.trim() !== '')
    .flatMap((line) => indented(line, indent, width));
}

function indented(text: string, indent: string, width: number): string[] {
  return wrap(escapeTerminal(text), width - indent.length).map((line) => indent + line);
}

function phaseOf({ phase, stale }: RunSummary): string {
  return stale ? `${phase} (stale)` : phase;
}

function prOf({ pr }: RunSummary): string | null {
  return pr === null ? null : `#${String(pr)}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? '-' : names.join(',');
}

/** In the largest unit of which there are two, so that nothing is off by more than a third. */
function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${String(seconds)}s ago`;
  if (seconds < 120 * 60) return `${String(Math.floor(seconds / 60))}m ago`;
  if (seconds < 48 * 3_600) return `${String(Math.floor(seconds / 3_600))}h ago`;
  return `${String(Math.floor(seconds / 86_400))}d ago`;
}
