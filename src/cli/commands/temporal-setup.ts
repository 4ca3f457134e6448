import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine } from '../base/output.js';

export function temporalSetupCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('setup')
    .description('Add the search attributes the workflows need; safe to repeat')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, async ({ json }) => {
    const report = await deps.temporalSetup();
    if (json) printJson(deps.io, report);
    else if (report.added.length === 0)
      printLine(deps.io, `namespace ${report.namespace}: nothing was missing`);
    else printLine(deps.io, `namespace ${report.namespace}: added ${report.added.join(', ')}`);
    return EXIT.ok;
  });
}
