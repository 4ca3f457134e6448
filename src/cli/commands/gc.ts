import type { Command } from 'commander';
import { messageOf } from '../../domain/base/message-of.js';
import type { HomeUsage, RunUsage } from '../../domain/upkeep/home-usage.js';
import { formatDuration } from '../../domain/base/duration.js';
import { planGc, type GcRemoval, type Janitor } from '../../domain/upkeep/gc.js';
import { formatBytes } from '../../domain/base/format-bytes.js';
import type { SweepAction } from '../../domain/upkeep/sweep.js';
import { answered, closing, type CommandContext } from '../base/action.js';
import type { CliIo } from '../base/deps.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine, printProblem, table } from '../base/output.js';

interface GcFlags {
  readonly dryRun?: true;
  readonly json?: true;
}

interface Outcome {
  readonly removal: GcRemoval;
  readonly outcome: 'removed' | 'kept' | 'failed' | 'planned';
  /** Why it was not removed. */
  readonly detail: string | null;
}

const AWAY = 'Temporal does not answer, and only it knows which runs are over: nothing was removed';

export function gcCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('gc')
    .description('Show what takes disk space, and remove what has not been needed for GC_KEEP')
    .option('--dry-run', 'only say what would be removed')
    .option('--json', 'as JSON');
  action<GcFlags>(command, ({ dryRun = false, json = false }) =>
    closing(deps.janitor(), async (janitor) => {
      const away = !(await answered(deps, janitor.temporalAnswers()));
      const usage = await janitor.measure();
      const plan = planGc(usage, { now: janitor.now(), keepMs: janitor.keepMs });
      const orphans = away ? [] : await janitor.orphans();
      const outcomes = await carryOut(janitor, plan, dryRun || away);
      if (json) printJson(deps.io, { usage, outcomes, orphans: orphans.map(orphanOf), temporal: !away });
      else print(deps.io, { usage, outcomes, orphans, keepMs: janitor.keepMs });
      if (away) {
        printProblem(deps.io, AWAY);
        return EXIT.unreachable;
      }
      return outcomes.some(({ outcome }) => outcome === 'failed') ? EXIT.failed : EXIT.ok;
    }),
  );
}

async function carryOut(
  janitor: Janitor,
  plan: readonly GcRemoval[],
  onlySay: boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const removal of plan) {
    if (onlySay) outcomes.push({ removal, outcome: 'planned', detail: null });
    else outcomes.push(await removed(janitor, removal));
  }
  return outcomes;
}

/** One that fails spoils no other. */
async function removed(janitor: Janitor, removal: GcRemoval): Promise<Outcome> {
  try {
    const detail = await janitor.remove(removal);
    return { removal, outcome: detail === null ? 'removed' : 'kept', detail };
  } catch (error) {
    const detail = messageOf(error);
    return { removal, outcome: 'failed', detail };
  }
}

function print(
  io: CliIo,
  {
    usage,
    outcomes,
    orphans,
    keepMs,
  }: {
    readonly usage: HomeUsage;
    readonly outcomes: readonly Outcome[];
    readonly orphans: readonly SweepAction[];
    readonly keepMs: number;
  },
): void {
  if (usage.runs.length > 0) {
    const header = ['RUN', 'STATE', 'WORKSPACE', 'HOME', 'TRANSCRIPT', 'TURNS', 'SUM'];
    io.stdout.write(`${table(header, usage.runs.map(runCells))}\n`);
  }
  io.stdout.write(`${table(['WHAT', 'NUMBER', 'SIZE'], sums(usage))}\n`);
  if (outcomes.length === 0)
    printLine(io, `nothing to remove: all is younger than ${formatDuration(keepMs)}`);
  else io.stdout.write(table(['OUTCOME', 'WHAT', 'SIZE', 'WHY'], outcomes.map(outcomeCells)));
  for (const [outcome, words] of [
    ['removed', 'removed'],
    ['planned', 'would be removed'],
  ] as const) {
    const some = outcomes.filter((one) => one.outcome === outcome);
    const bytes = sum(some.map(({ removal }) => removal.bytes));
    if (some.length > 0) printLine(io, `${words}: ${formatBytes(bytes)}`);
  }
  for (const orphan of orphans) {
    const { slug, what } = orphanOf(orphan);
    printLine(io, `the sweeper will clean up ${slug}: ${what}`);
  }
}

function runCells(run: RunUsage): string[] {
  const { slug, state, workspace, home, transcript, turns, rest, stays } = run;
  const all = sum([workspace ?? 0, home ?? 0, transcript, turns, rest, stays]);
  const isWhole = workspace !== null && home !== null;
  return [
    slug,
    state,
    ...[workspace, home, transcript, turns].map((bytes) => (bytes === null ? '?' : formatBytes(bytes))),
    `${isWhole ? '' : 'over '}${formatBytes(all)}`,
  ];
}

/** An image's size is not in the total: its layers may be shared with others. */
function sums(usage: HomeUsage): string[][] {
  const { runs, mirrors, images, blobs, databases, logs, scratch } = usage;
  const ofRuns = runs.flatMap((run) => [
    run.workspace ?? 0,
    run.home ?? 0,
    run.transcript,
    run.turns,
    run.rest,
    run.stays,
  ]);
  const lines: (readonly [string, number | null, number])[] = [
    ['runs', runs.length, sum(ofRuns)],
    ['mirrors', mirrors.length, sum(mirrors.map(({ bytes }) => bytes))],
    ['blobs', blobs.length, sum(blobs.map(({ bytes }) => bytes))],
    ['databases', null, databases],
    ['logs', null, logs],
    ['quarantines', null, scratch],
  ];
  const total = sum(lines.map(([, , bytes]) => bytes));
  const cells = (line: readonly [string, number | null, number]): string[] => [
    line[0],
    line[1] === null ? '-' : String(line[1]),
    formatBytes(line[2]),
  ];
  return [
    ...[...lines, ['total', null, total] as const].map(cells),
    cells(['images (not in the total)', images.length, sum(images.map(({ bytes }) => bytes))]),
  ];
}

function outcomeCells({ removal, outcome, detail }: Outcome): string[] {
  return [outcome, nameOf(removal), formatBytes(removal.bytes), detail ?? ''];
}

function nameOf(removal: GcRemoval): string {
  switch (removal.kind) {
    case 'run':
      return `files of ${removal.slug}`;
    case 'mirror':
      return `mirror ${removal.directory}`;
    case 'image':
      return `image ${removal.reference}`;
    case 'blob':
      return `blob ${removal.ref.slice(0, 12)}`;
  }
}

function orphanOf(orphan: SweepAction): { readonly slug: string; readonly what: SweepAction['kind'] } {
  return { slug: orphan.kind === 'remove' ? orphan.run.slug : orphan.slug, what: orphan.kind };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
