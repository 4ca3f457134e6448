import { Option } from 'commander';
import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/errors.js';
import { collect, withOrchestrator } from '../action.js';
import type { CommandContext } from '../action.js';
import { parseTarget } from '../target.js';
import { followTurn, WAIT_HELP } from './follow-turn.js';

interface StartFlags {
  readonly issue: string;
  readonly agent?: string;
  readonly bottle: readonly string[];
  readonly prompt?: string;
  readonly label?: string;
  readonly wait?: true;
  readonly json?: true;
}

export function orchestrateStartCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('start')
    .description('Start a run of an issue')
    .requiredOption('--issue <owner/repo#n>', 'the issue, or its address')
    .option('--agent <name>', 'agent (default: the one its label names)')
    .option('--bottle <name>', 'bottle; may be repeated, later ones win', collect, [])
    .option('--prompt <text>', 'first prompt instead of the issue’s text')
    .option('--label <text>', 'display name')
    .addOption(new Option('--backend <name>', 'where bottles run').choices(['docker']).default('docker'))
    .option('--wait', WAIT_HELP)
    .option('--json', 'as JSON');
  action<StartFlags>(command, async (flags) => {
    const target = parseTarget(flags.issue, await deps.forgePages());
    if (target.kind === 'slug')
      throw new InvalidInputError('--issue takes owner/repo#12 or the address of an issue');
    return withOrchestrator(deps, async (orchestrator) => {
      const begun = await orchestrator.start(target.subject, {
        agent: flags.agent ?? null,
        bottles: flags.bottle,
        prompt: flags.prompt ?? null,
        label: flags.label ?? null,
        backend: 'docker',
      });
      const what = `issue ${flags.issue}`;
      return followTurn(deps.io, orchestrator, begun, {
        wait: flags.wait ?? false,
        json: flags.json ?? false,
        what,
      });
    });
  });
}
