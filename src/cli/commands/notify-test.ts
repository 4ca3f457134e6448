import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine } from '../base/output.js';

/** `notify test` */
export function notifyTestCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('test')
    .description('Send a test message by every hook that is set')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, async ({ json }) => {
    const tried = await deps.notifyTest();
    if (tried.length === 0)
      throw new CliError('usage', EXIT.usage, 'no hook is set: NOTIFY_COMMAND, NOTIFY_WEBHOOK_URL');
    if (json) printJson(deps.io, { hooks: tried });
    else for (const { hook, problem } of tried) printLine(deps.io, `${hook}: ${problem ?? 'ok'}`);
    return tried.every(({ problem }) => problem === null) ? EXIT.ok : EXIT.failed;
  });
}
