import { Option, type Command } from 'commander';
import { isoTimeOf } from '../../domain/base/iso-time.js';
import type { OperatorCommandRow, RejectionRow } from '../../domain/run/rows.js';
import { pauseText } from '../../domain/run/pause.js';
import { closing, type CommandContext } from '../base/action.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine, table } from '../base/output.js';
import { statusText } from './status-text.js';

const REJECTIONS_SHOWN = 50;
const COMMANDS_SHOWN = 100;

interface StatusFlags {
  readonly all?: true;
  readonly rejected?: true;
  readonly commands?: true;
  readonly json?: true;
}

export function orchestrateStatusCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('status')
    .description('List the active runs')
    .option('--all', 'destroyed runs too')
    .addOption(new Option('--rejected', 'triggers that started nothing, and why').conflicts('all'))
    .addOption(new Option('--commands', 'what operators did, and who').conflicts(['all', 'rejected']))
    .option('--json', 'as JSON, with addresses, detail, use and session; times are epoch milliseconds')
    .addHelpText('after', '\nOn a terminal that is too narrow for it, the table becomes some lines a run.');
  action<StatusFlags>(command, ({ all = false, rejected = false, commands = false, json = false }) =>
    closing(deps.orchestrator(), async (orchestrator) => {
      if (commands) {
        const rows = await orchestrator.commands(COMMANDS_SHOWN);
        if (json) printJson(deps.io, { commands: rows });
        else if (rows.length === 0) printLine(deps.io, 'no operator has given a command');
        else deps.io.stdout.write(table(['WHEN', 'WHO', 'COMMAND', 'RUN', 'DETAIL'], rows.map(commandCells)));
        return EXIT.ok;
      }
      if (rejected) {
        const rows = await orchestrator.rejections(REJECTIONS_SHOWN);
        if (json) printJson(deps.io, { rejections: rows });
        else if (rows.length === 0) printLine(deps.io, 'no trigger was rejected');
        else deps.io.stdout.write(table(['WHEN', 'ISSUE', 'REASON'], rows.map(rejectionCells)));
        return EXIT.ok;
      }
      const pauses = await orchestrator.pauses();
      const runs = await orchestrator.status({ all });
      if (!json) for (const pause of pauses) printLine(deps.io, pauseText(pause));
      if (json) printJson(deps.io, { runs, pauses });
      else if (runs.length === 0) printLine(deps.io, all ? 'no runs' : 'no active runs');
      else {
        const columns = deps.io.terminal()?.columns ?? null;
        deps.io.stdout.write(statusText(runs, { now: Date.now(), columns }));
      }
      return EXIT.ok;
    }),
  );
}

function commandCells({ at, who, kind, slug, detail }: OperatorCommandRow): string[] {
  return [isoTimeOf(at) ?? '-', who, kind, slug ?? '-', JSON.stringify(detail)];
}

function rejectionCells({ at, subject, reason }: RejectionRow): string[] {
  return [isoTimeOf(at) ?? '-', subject, reason];
}
