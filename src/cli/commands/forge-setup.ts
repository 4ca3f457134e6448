import { Option, type Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { answered, durationOf, type CommandContext } from '../base/action.js';
import type { CliDeps } from '../base/deps.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printItem } from '../forge-setup/report.js';
import type { Item } from '../forge-setup/report.js';
import { runForgeSetup } from '../forge-setup/run.js';
import { targetsOf } from '../forge-setup/targets.js';
import type { ForgeSetupWorld } from '../base/setup-world.js';
import { printJson } from '../base/output.js';

interface Options {
  readonly org?: string;
  readonly url?: string;
  readonly adminTokenFile?: string;
  readonly dryRun?: true;
  readonly remove?: true;
  readonly test: boolean;
  readonly webhook: boolean;
  readonly allLabels?: true;
  readonly wait: string;
  readonly json?: true;
}

const NOTES = `
Creating webhooks and labels takes an administrator of the repository, which the bot must not be: give a token of
one with --admin-token-file, for this run only. Repeating the command changes nothing that is right.

An agent gets a label when the key of its model is set. Whether its image is built is not asked: doctor says that.`;

/** `forge setup` */
export function forgeSetupCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('setup [repositories...]')
    .description('Make labels and webhook on the forge, check the bot’s rights, send a test delivery')
    .option('--org <name>', 'one webhook and one set of labels for all repositories of an organization')
    .option('--url <url>', 'where the forge reaches the webhook, instead of WEBHOOK_PUBLIC_URL')
    .option('--admin-token-file <file>', 'token of an administrator, mode 600; - for standard input')
    .option('--dry-run', 'only look, and say what would be done')
    .addOption(
      // It heeds none of these: who gives one expects something else of it.
      new Option('--remove', 'take webhook and unused labels away again').conflicts([
        'test',
        'webhook',
        'allLabels',
        'wait',
      ]),
    )
    .option('--no-test', 'send no test delivery')
    .option('--no-webhook', 'labels and rights only')
    .option('--all-labels', 'labels also for agents that cannot run, and for stand-ins such as demo')
    .option('--wait <duration>', 'how long a test delivery may take', '15s')
    .option('--json', 'as JSON')
    .addHelpText('after', NOTES);
  action<Options>(command, async (options, repositories) => {
    const opened = await deps.forgeSetup();
    // What is asked first: a forge that hangs is noticed here.
    const world: ForgeSetupWorld = {
      ...opened,
      botRights: (...of) => answered(deps, opened.botRights(...of)),
    };
    const { io } = deps;
    const dryRun = options.dryRun === true;
    const items: Item[] = [];
    const request = {
      targets: targetsOf(repositories, options.org, world.settings.repos),
      url: options.url ?? null,
      adminToken: await adminToken(options.adminTokenFile, world, io),
      dryRun,
      remove: options.remove === true,
      test: options.test,
      webhook: options.webhook,
      allLabels: options.allLabels === true,
      waitMs: durationOf('--wait', options.wait),
      ending: deps.interrupted({ goesOnUnread: true }),
    };
    await runForgeSetup(world, request, (item) => {
      items.push(item);
      if (options.json !== true) printItem(io, item);
    }).catch((error: unknown) => {
      if (request.ending.aborted && error === request.ending.reason)
        throw new CliError('interrupted', EXIT.interrupted, 'interrupted: run it again to go on');
      throw error;
    });
    const ok = items.every(({ state }) => state !== 'problem');
    if (options.json === true) printJson(io, { ok, dryRun, items });
    return ok ? EXIT.ok : EXIT.failed;
  });
}

async function adminToken(
  file: string | undefined,
  world: ForgeSetupWorld,
  { stdin }: CliDeps['io'],
): Promise<string | null> {
  if (file === undefined) return null;
  if (file !== '-') return world.readAdminToken(file);
  if (stdin.isTTY)
    throw new InvalidInputError(
      'a terminal would show the token: --admin-token-file - < file, or name the file',
    );
  const token = new TextDecoder().decode(await stdin.read()).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new InvalidInputError('there was no token on standard input');
  return token;
}
