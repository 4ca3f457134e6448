import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import type { ConfigView } from '../base/deps.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printProblem, table } from '../base/output.js';

const MASK = '********';

/** `config show`: what is in effect and where it comes from; of a secret the path and whether it is set. */
export function configShowCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('show')
    .description('Print the settings in effect and their source')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, async ({ json }) => {
    const view = await deps.config();
    if (json) {
      printJson(deps.io, view);
      return EXIT.ok;
    }
    deps.io.stdout.write(table(['SETTING', 'VALUE', 'SOURCE'], view.effective.map(row)));
    for (const warning of view.warnings) printProblem(deps.io, `warning: ${warning}`);
    return EXIT.ok;
  });
}

function row(setting: ConfigView['effective'][number]): string[] {
  const state = setting.secret === 'set' ? MASK : setting.secret;
  const value = (setting.value ?? '-') + (state === undefined ? '' : ` (${state})`);
  const source = setting.line === undefined ? setting.source : `config.yaml:${setting.line}`;
  return [setting.name, value, source];
}
