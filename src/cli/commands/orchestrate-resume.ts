import { Option } from 'commander';
import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isSlug } from '../../domain/run/slug.js';
import { answered, closing, promptText, type CommandContext } from '../base/action.js';
import { followTurn, WAIT_HELP } from './follow-turn.js';

interface ResumeFlags {
  readonly slug: string;
  readonly prompt: string;
  readonly wait?: true;
  readonly json?: true;
}

/** `orchestrate resume`: made for scripts, so it never asks anything and never reads standard input [S4]. */
export function orchestrateResumeCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('resume')
    .description('Give a frozen run another turn in the same session')
    .requiredOption('--slug <slug>', 'the run')
    .requiredOption('--prompt <text>', 'what the agent is told', promptText)
    .addOption(new Option('--backend <name>', 'where bottles run').choices(['docker']).default('docker'))
    .option('--wait', WAIT_HELP)
    .option('--json', 'as JSON');
  action<ResumeFlags>(command, ({ slug, prompt, wait = false, json = false }) => {
    if (!isSlug(slug))
      throw new InvalidInputError('--slug takes a run’s slug: bot-bottle orchestrate status lists them');
    return closing(deps.orchestrator(), async (orchestrator) => {
      const begun = await answered(deps, orchestrator.resume(slug, prompt));
      return followTurn(deps.io, orchestrator, begun, { wait, json, what: `run ${slug}` });
    });
  });
}
