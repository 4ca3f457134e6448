import type { Command } from 'commander';
import type { RejectionRow } from '../../domain/rows.js';
import { withOrchestrator } from '../action.js';
import type { CommandContext } from '../action.js';
import { EXIT } from '../exit-codes.js';
import { printJson, printLine, table } from '../output.js';
import { statusText } from './status-text.js';

const REJECTIONS_SHOWN = 50;

interface StatusFlags {
  readonly all?: true;
  readonly rejected?: true;
  readonly json?: true;
}

export function orchestrateStatusCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('status')
    .description('List the active runs')
    .option('--all', 'destroyed runs too')
    .option('--rejected', 'triggers that started nothing, and why')
    .option('--json', 'as JSON, with addresses, detail, use and session; times are epoch milliseconds')
    .addHelpText('after', '\nOn a terminal that is too narrow for it, the table becomes some lines a run.');
  action<StatusFlags>(command, ({ all = false, rejected = false, json = false }) =>
    withOrchestrator(deps, async (orchestrator) => {
      if (rejected) {
        const rows = await orchestrator.rejections(REJECTIONS_SHOWN);
        if (json) printJson(deps.io, { rejections: rows });
        else if (rows.length === 0) printLine(deps.io, 'no trigger was rejected');
        else deps.io.stdout.write(table(['WHEN', 'ISSUE', 'REASON'], rows.map(rejectionCells)));
        return EXIT.ok;
      }
      const runs = await orchestrator.status({ all });
      if (json) printJson(deps.io, { runs });
      else if (runs.length === 0) printLine(deps.io, all ? 'no runs' : 'no active runs');
      else {
        const columns = deps.io.terminal()?.columns ?? null;
        deps.io.stdout.write(statusText(runs, { now: Date.now(), columns }));
      }
      return EXIT.ok;
    }),
  );
}

function rejectionCells({ at, subject, reason }: RejectionRow): string[] {
  return [new Date(at).toISOString(), subject, reason];
}
