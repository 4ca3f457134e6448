import { Option } from 'commander';
import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { escapeTerminal } from '../../domain/text/escape.js';
import { closing, type CommandContext } from '../base/action.js';
import type { CliDeps } from '../base/deps.js';
import { notFound } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { followRun, type LogEntry } from '../logs/follow-run.js';
import { JsonLog } from '../logs/json-log.js';
import { LogRenderer } from '../logs/render-log.js';
import type { RunLogs } from '../base/run-logs.js';
import { printJsonLine } from '../base/output.js';
import { parseTarget } from '../base/target.js';

interface LogsFlags {
  readonly follow?: true;
  readonly turn?: string;
  readonly from: 'start' | 'now';
  readonly raw?: true;
  readonly json?: true;
}

export function logsCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('logs')
    .description('Show what the agent of a run printed')
    .argument('<run>', 'address of its issue, owner/repo#12, or slug')
    .option('-f, --follow', 'keep printing new output until the run is over')
    .option('--turn <n>', 'only this turn')
    .addOption(
      new Option('--from <where>', 'with --follow: now leaves out what is there')
        .choices(['start', 'now'])
        .default('start'),
    )
    .option('--raw', 'the lines of agent.log as they are')
    .option('--json', 'one JSON object a line for each event')
    .addHelpText('after', '\nTimes are UTC. Ctrl-C ends it, with exit status 0.');
  action<LogsFlags>(command, async (flags, [run = '']) => {
    const { follow = false, from, raw = false, json = false } = flags;
    if (raw && json) throw new InvalidInputError('use either --raw or --json');
    if (from === 'now' && !follow) throw new InvalidInputError('--from now only works with --follow');
    const turn = flags.turn === undefined ? null : turnNumber(flags.turn);
    const target = parseTarget(run, await deps.forgePages());
    return closing(deps.logs(), async (logs) => {
      const slug = await logs.find(target);
      if (slug === undefined)
        throw notFound(`no run ${run}: bot-bottle orchestrate status --all lists the runs`);
      const signal = deps.interrupted();
      const show = printerOf(deps, logs, { raw, json });
      let shown = false;
      for await (const entry of followRun(logs, slug, { follow, turn, from, signal })) {
        show(entry);
        shown = true;
      }
      if (!shown && !signal.aborted && from === 'start') throw notFound(nothingOf(slug, turn));
      return EXIT.ok;
    });
  });
}

function printerOf(
  { io }: CliDeps,
  logs: RunLogs,
  { raw, json }: { readonly raw: boolean; readonly json: boolean },
): (entry: LogEntry) => void {
  if (raw)
    return (entry) => {
      if (entry.kind !== 'line') return;
      io.stdout.write(`${io.terminal() === null ? entry.line : escapeTerminal(entry.line)}\n`);
    };
  if (json) {
    const log = new JsonLog(logs);
    return (entry) => {
      for (const object of log.objectsOf(entry)) printJsonLine(io, object);
    };
  }
  const renderer = new LogRenderer(logs, () => io.terminal() ?? { columns: null, colors: false });
  return (entry) => {
    const text = renderer.render(entry);
    if (text !== '') io.stdout.write(text);
  };
}

function turnNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidInputError('--turn takes the number of a turn, from 1');
  return Number(text);
}

function nothingOf(slug: string, turn: number | null): string {
  if (turn !== null) return `${slug} has no turn ${String(turn)} on this machine`;
  return `no turn of ${slug} has begun on this machine`;
}
