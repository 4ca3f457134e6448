import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import { withDashboardDesk } from '../base/dashboard-desk.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';

export function dashboardCommand(root: Command, { deps, action }: CommandContext): void {
  const command = root
    .command('dashboard')
    .description('Runs and what their agents ask for, live on a terminal; decide it there')
    .addHelpText('after', '\nThe key ? lists the keys. Without a terminal: bot-bottle proposals.');
  action(command, async () => {
    const terminal = deps.io.terminal();
    if (terminal === null || !deps.io.stdin.isTTY)
      throw new CliError(
        'no_terminal',
        EXIT.usage,
        'the dashboard needs a terminal: without one, bot-bottle proposals and bot-bottle orchestrate status do the same',
      );
    // Tells what is wrong with the settings while there is a shell to read it in.
    await deps.config();
    await withDashboardDesk(deps, (desk) => deps.dashboard(desk, terminal.colors));
    return EXIT.ok;
  });
}
