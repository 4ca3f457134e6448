import type { Command } from 'commander';
import { collect, type CommandContext } from '../base/action.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine } from '../base/output.js';

/** `secret set <name>`: standard input to its end. An argument would stand in the shell's history and in `ps`. */
export function secretSetCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('set <name>')
    .description('Write $BOT_BOTTLE_HOME/secrets/<name> from standard input')
    .option(
      '--host <host>',
      'bind it: routes may send it to this host (host or host:port, may be repeated), and to no other',
      collect,
      [],
    )
    .option('--json', 'as JSON');
  action<{ json?: true; host: readonly string[] }>(command, async ({ json, host }, [name = '']) => {
    if (deps.io.stdin.isTTY) {
      throw new CliError(
        'usage',
        EXIT.usage,
        'a terminal would show the secret: give it on standard input, as in: bot-bottle secret set forge-token < file',
      );
    }
    const file = await deps.setSecret(name, await deps.io.stdin.read(), host);
    if (json) printJson(deps.io, { name, file, ...(host.length === 0 ? {} : { hosts: host }) });
    else printLine(deps.io, `wrote ${file}`);
    return EXIT.ok;
  });
}
