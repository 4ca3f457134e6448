import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine } from '../base/output.js';

export function versionCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent.command('version').description('Print the version').option('--json', 'as JSON');
  action<{ json?: true }>(command, ({ json }) => {
    if (json) printJson(deps.io, { version: deps.version });
    else printLine(deps.io, deps.version);
    return EXIT.ok;
  });
}
