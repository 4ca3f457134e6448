import { Command, CommanderError } from 'commander';
import { escapeTerminal } from '../domain/text/escape.js';
import type { CommandContext } from './base/action.js';
import { configShowCommand } from './commands/config-show.js';
import { dashboardCommand } from './commands/dashboard.js';
import { doctorCommand } from './commands/doctor.js';
import { forgeSetupCommand } from './commands/forge-setup.js';
import { manifestCommands } from './commands/manifests.js';
import { gcCommand } from './commands/gc.js';
import { logsCommand } from './commands/logs.js';
import { notifyTestCommand } from './commands/notify-test.js';
import { orchestrateResumeCommand } from './commands/orchestrate-resume.js';
import { orchestrateStartCommand } from './commands/orchestrate-start.js';
import { orchestrateStatusCommand } from './commands/orchestrate-status.js';
import { pauseCommands } from './commands/pause.js';
import { proposalCommands } from './commands/proposals.js';
import { provenanceCommands } from './commands/provenance.js';
import { secretSetCommand } from './commands/secret-set.js';
import { serviceCommand } from './commands/services.js';
import { signalCommand } from './commands/signal.js';
import { syncCommands } from './commands/sync.js';
import { temporalSetupCommand } from './commands/temporal-setup.js';
import { tokenCommands } from './commands/token.js';
import { versionCommand } from './commands/version.js';
import type { CliDeps } from './base/deps.js';
import { EXIT } from './base/exit-codes.js';
import { printFailure, reportFailure } from './report-failure.js';

const HELP_END = `
Exit status: 0 ok, 1 failed, 2 usage, 3 not found, 4 refused, 5 a dependency does not answer,
130 Ctrl-C (forge setup).
With --wait: 0 only when the turn ended done; the agent's own exit code when that is not 0; else 10 blocked, 11 stuck,
12 failed, 13 incomplete, 14 out of time, 15 budget or usage limit, 16 sidecar, disk, queue or history gave out,
17 paused, untriggered, unserved or closed. If the orchestrator stopped the agent, these count, not the agent's own.
Of sync: 0 verified, 18 unchanged, 11 stuck, 14 timeout, 12 failed.
--json prints one JSON document on standard output, with logs one a line.`;

/**
 * The command line `bot-bottle`, over a world that is handed in. Never throws; resolves with the exit status.
 * @param args what follows the program's name
 */
export async function runCli(deps: CliDeps, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.ok;
  const context: CommandContext = {
    deps,
    action: (command, work) => {
      command.action(async () => {
        exitCode = await work(command.opts(), command.args);
      });
    },
  };
  try {
    await program(context).parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return fail(deps, error, args.includes('--json'));
  }
}

function fail({ io }: CliDeps, error: unknown, json: boolean): number {
  // Commander has printed its message, or the help that was asked for, when it throws.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    if (json) printFailure(io, { code: 'usage', message: error.message });
    return EXIT.usage;
  }
  return reportFailure(io, error, json);
}

/** Every command, registered and not run. */
export function program(context: CommandContext): Command {
  const root = new Command('bot-bottle')
    .description('Durable, sandboxed coding-agent runs for the issues of a Git forge')
    .helpCommand(false)
    .showHelpAfterError('(--help says what there is)')
    .addHelpText('after', HELP_END);
  root.exitOverride().version(context.deps.version, '--version', 'Print the version');
  root.configureOutput({
    writeOut: (text) => context.deps.io.stdout.write(text),
    // Commander quotes what it did not understand, and that may be anything.
    writeErr: (text) =>
      context.deps.io.stderr.write(`${text.trimEnd().split('\n').map(escapeTerminal).join('\n')}\n`),
  });
  // Subcommands copy the settings above, so they are made after them.
  for (const role of ['up', 'worker', 'webhook', 'api'] as const) serviceCommand(root, context, role);
  const orchestrate = root.command('orchestrate').description('Start, resume and list runs');
  orchestrateStartCommand(orchestrate, context);
  orchestrateResumeCommand(orchestrate, context);
  orchestrateStatusCommand(orchestrate, context);
  signalCommand(root, context);
  proposalCommands(root, context);
  provenanceCommands(root, context);
  notifyTestCommand(root.command('notify').description('Try the notification hooks'), context);
  dashboardCommand(root, context);
  pauseCommands(root, context);
  logsCommand(root, context);
  syncCommands(root, context);
  forgeSetupCommand(root.command('forge').description('Prepare the forge'), context);
  const temporal = root.command('temporal').description('Prepare the Temporal server, read what it holds');
  temporalSetupCommand(temporal, context);
  serviceCommand(temporal, context, 'codec-server');
  configShowCommand(root.command('config').description('Look at the configuration'), context);
  secretSetCommand(root.command('secret').description('Set secrets'), context);
  tokenCommands(root, context);
  manifestCommands(root, context, 'agents');
  manifestCommands(root, context, 'bottles');
  doctorCommand(root, context);
  gcCommand(root, context);
  versionCommand(root, context);
  // Not among what they copy; each has --help.
  for (const group of root.commands) group.helpCommand(false);
  return root;
}
