import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import { runChecks } from '../doctor/check.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine, table } from '../base/output.js';

export function doctorCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('doctor')
    .description('Check this machine, the configuration and everything it leads to')
    .option('--json', 'as JSON');
  action<{ json?: true }>(command, async ({ json }) => {
    const reports = await runChecks(await deps.doctorChecks());
    const failed = reports.filter(({ state }) => state === 'fail').length;
    if (json) printJson(deps.io, { ok: failed === 0, checks: reports });
    else {
      deps.io.stdout.write(
        table(
          ['STATE', 'CHECK', 'FOUND'],
          reports.map(({ state, name, found }) => [state, name, found]),
        ),
      );
      for (const { name, remedy } of reports)
        if (remedy !== undefined) printLine(deps.io, `${name}: ${remedy}`);
    }
    return failed === 0 ? EXIT.ok : EXIT.failed;
  });
}
