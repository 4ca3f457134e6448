import type { Command } from 'commander';
import { formatDuration } from '../../domain/base/duration.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { MANIFEST_KEY } from '../../domain/forge/trigger.js';
import { isSafeValue, unsafe } from '../../domain/sync/opencode-env.js';
import { SYNC_TIMEOUT_MS, type SyncOutcome } from '../../domain/sync/sync.js';
import { answered, closing, durationOf, namesTheOthers, type CommandContext } from '../base/action.js';
import type { CliIo } from '../base/deps.js';
import { notFound, refused } from '../base/errors.js';
import { EXIT, SYNC_EXIT } from '../base/exit-codes.js';
import { printJson, printLine, printProblem, table } from '../base/output.js';
import type { SyncDesk, SyncOptions } from '../base/sync-desk.js';

interface SyncFlags {
  readonly dir: string;
  readonly manifest?: string;
  readonly model?: string;
  readonly variant?: string;
  readonly agent?: string;
  readonly timeout: string;
  readonly json?: true;
}

/** Less would be over before an agent has started, and a day is a typing mistake, milliseconds. */
const TIMEOUTS = [1_000, 24 * 3_600_000] as const;
const EVERY_AT_LEAST_MS = 60_000;

const EXIT_HELP = `
Exit status: 0 verified, there is a pull request; 18 unchanged, there was nothing to do; 11 stuck, the agent left a STUCK.md;
14 timeout; 12 failed; 4 another sync of the fork is under way; 5 Temporal does not answer. What the agent left is in the run directory, which is printed.`;

/** `sync`, and the verbs for doing it again and again. */
export function syncCommands(root: Command, { deps, action }: CommandContext): void {
  const sync = root
    .command('sync')
    .description('Keep forks merged with their upstream')
    .addHelpText('after', EXIT_HELP);
  const command = withOptions(
    sync
      .command('run', { isDefault: true })
      .description(
        'Merge upstream into a fork in a sandbox, check the result, open a pull request; `sync` alone is the same',
      )
      .addHelpText('after', EXIT_HELP),
  );
  namesTheOthers(command);
  action<SyncFlags>(command, (flags) => closing(deps.sync(), (desk) => syncNow(deps.io, desk, flags)));
  scheduleCommand(sync, { deps, action });
  schedulesCommand(sync, { deps, action });
  unscheduleCommand(sync, { deps, action });
}

function withOptions(command: Command): Command {
  return command
    .option('--dir <path>', 'clone of the fork, with the remotes origin and upstream', '.')
    .option('--model <name>', 'instead of OPENCODE_MODEL')
    .option('--variant <name>', 'instead of OPENCODE_VARIANT')
    .option('--agent <name>', 'opencode’s agent, instead of OPENCODE_AGENT')
    .option(
      '--manifest <name>',
      'agent whose provider, model, bottle and keys are used, instead of opencode.env',
    )
    .option('--timeout <duration>', 'when the container is stopped', formatDuration(SYNC_TIMEOUT_MS))
    .option('--json', 'as JSON');
}

async function syncNow(io: CliIo, desk: SyncDesk, flags: SyncFlags): Promise<number> {
  const { order, ignored } = await desk.order(optionsOf(flags));
  tellIgnored(io, ignored);
  const started = await answered({ io }, desk.start(order));
  if (started.kind === 'refused') throw refused(started.reason);
  const { owner, repo } = order.fork;
  const limit = formatDuration(order.timeoutMs);
  if (flags.json !== true)
    printLine(
      io,
      `merging ${order.upstream} into ${owner}/${repo} (${started.workflowId}), at most ${limit} in the sandbox`,
    );
  const outcome = await desk.outcome(started.workflowId);
  if (flags.json === true) printJson(io, outcome);
  else for (const line of linesOf(outcome)) printLine(io, line);
  return SYNC_EXIT[outcome.status];
}

function linesOf({ status, reason, runDir, branch, prUrl, slug }: SyncOutcome): string[] {
  return [
    `${status}: ${reason}`,
    ...(prUrl === null ? [] : [`pull request: ${prUrl}`]),
    ...(branch === null ? [] : [`branch: ${branch}`]),
    ...(runDir === null ? [] : [`run directory: ${runDir}`]),
    ...(slug === null ? [] : [`log: bot-bottle logs ${slug}`]),
  ];
}

function scheduleCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = withOptions(
    parent
      .command('schedule')
      .description('Sync the fork again and again; a sync that is still under way is left alone')
      .requiredOption('--every <duration>', 'such as 1d'),
  );
  action<SyncFlags & { readonly every: string }>(command, (flags) =>
    closing(deps.sync(), async (desk) => {
      const everyMs = durationWithin('--every', flags.every, EVERY_AT_LEAST_MS);
      const { order, ignored } = await desk.order(optionsOf(flags));
      tellIgnored(deps.io, ignored);
      const change = await answered(deps, desk.schedule(order, everyMs));
      const { owner, repo } = order.fork;
      if (flags.json === true) printJson(deps.io, { fork: `${owner}/${repo}`, everyMs, change });
      else printLine(deps.io, `${owner}/${repo}: every ${formatDuration(everyMs)}, ${change}`);
      return EXIT.ok;
    }),
  );
}

function schedulesCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('schedules')
    .description('List the forks that are synced on a schedule')
    .option('--json', 'as JSON');
  action<{ readonly json?: true }>(command, ({ json = false }) =>
    closing(deps.sync(), async (desk) => {
      const schedules = (await answered(deps, desk.schedules())).map(
        ({ fork: { owner, repo }, upstream, everyMs, nextAt }) => ({
          fork: `${owner}/${repo}`,
          upstream,
          everyMs,
          nextAt,
        }),
      );
      if (json) printJson(deps.io, { schedules });
      else if (schedules.length === 0) printLine(deps.io, 'no fork is synced on a schedule');
      else
        deps.io.stdout.write(
          table(
            ['FORK', 'EVERY', 'NEXT', 'UPSTREAM'],
            schedules.map(({ fork, everyMs, nextAt, upstream }) => [
              fork,
              everyMs === null ? '' : formatDuration(everyMs),
              nextAt === null ? 'paused' : new Date(nextAt).toISOString(),
              upstream ?? 'cannot be decoded',
            ]),
          ),
        );
      return EXIT.ok;
    }),
  );
}

function unscheduleCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('unschedule')
    .description('Stop syncing the fork on a schedule')
    .option('--dir <path>', 'clone of the fork', '.')
    .option('--json', 'as JSON');
  action<{ readonly dir: string; readonly json?: true }>(command, ({ dir, json = false }) =>
    closing(deps.sync(), async (desk) => {
      const { owner, repo, forge } = await desk.forkIn(dir);
      const change = await answered(deps, desk.unschedule({ forge, owner, repo }));
      if (change === 'absent') throw notFound(`${owner}/${repo} is synced on no schedule`);
      if (json) printJson(deps.io, { fork: `${owner}/${repo}`, change });
      else printLine(deps.io, `${owner}/${repo}: ${change}`);
      return EXIT.ok;
    }),
  );
}

/** Errors: `InvalidInputError`. */
function optionsOf({ dir, manifest, timeout, ...given }: SyncFlags): SyncOptions {
  const { model = null, variant = null, agent = null } = given;
  for (const [name, value] of Object.entries({ model, variant, agent })) {
    if (value !== null && !isSafeValue(value)) throw new InvalidInputError(unsafe(`--${name}`));
    if (value !== null && manifest !== undefined)
      throw new InvalidInputError(`--${name} is for opencode.env, and --manifest takes its place`);
  }
  if (manifest !== undefined && !MANIFEST_KEY.test(manifest))
    throw new InvalidInputError(`"${manifest}" is not a possible agent name`);
  const [least, most] = TIMEOUTS;
  return {
    ...{ dir, model, variant, agent },
    manifest: manifest ?? null,
    timeoutMs: durationWithin('--timeout', timeout, least, most),
  };
}

function durationWithin(option: string, text: string, least: number, most = Infinity): number {
  const ms = durationOf(option, text);
  if (ms >= least && ms <= most) return ms;
  const limits = most === Infinity ? '' : ` and at most ${formatDuration(most)}`;
  throw new InvalidInputError(`${option} must be at least ${formatDuration(least)}${limits}`);
}

function tellIgnored(io: CliIo, ignored: readonly string[]): void {
  if (ignored.length > 0) printProblem(io, `not passed on to the sandbox: ${ignored.join(', ')}`);
}
