import type { Command } from 'commander';
import type { RejectionRow } from '../../domain/rows.js';
import { withOrchestrator } from '../action.js';
import type { CommandContext } from '../action.js';
import { EXIT } from '../exit-codes.js';
import type { RunSummary } from '../orchestrator.js';
import { printJson, printLine, table } from '../output.js';

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
    .option('--json', 'as JSON');
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
      else
        deps.io.stdout.write(table(['SLUG', 'AGENT', 'PHASE', 'REASON', 'ISSUE', 'PR'], runs.map(runCells)));
      return EXIT.ok;
    }),
  );
}

function runCells({ slug, agent, phase, reason, issueUrl, prUrl }: RunSummary): string[] {
  return [slug, agent, phase, reason ?? '-', issueUrl, prUrl ?? '-'];
}

function rejectionCells({ at, subject, reason }: RejectionRow): string[] {
  return [new Date(at).toISOString(), subject, reason];
}
