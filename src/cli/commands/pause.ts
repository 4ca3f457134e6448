import type { Command } from 'commander';
import { InvalidInputError } from '../../domain/base/errors.js';
import { EVERYWHERE, pauseText, scopeOf, type PauseRow } from '../../domain/run/pause.js';
import { answered, closing, type CommandContext } from '../base/action.js';
import { CliError } from '../base/errors.js';
import { EXIT } from '../base/exit-codes.js';
import { printJson, printLine } from '../base/output.js';

interface PauseFlags {
  readonly repo?: string;
  readonly json?: true;
}

const ABOUT = {
  pause: 'Let no new turn start; what runs goes on to its end, what comes is kept',
  unpause: 'Let new turns start again, those that were held back first of all',
} as const;

/** `pause` and `unpause`. */
export function pauseCommands(root: Command, context: CommandContext): void {
  pauseCommand(root, context, 'pause');
  pauseCommand(root, context, 'unpause');
}

function pauseCommand(root: Command, { deps, action }: CommandContext, name: keyof typeof ABOUT): void {
  const command = root
    .command(name)
    .description(ABOUT[name])
    .option('--repo <owner/repo>', 'of this repository’s issues and pull requests only')
    .option('--json', 'as JSON');
  action<PauseFlags>(command, ({ repo, json = false }) => {
    const scope = repo === undefined ? EVERYWHERE : scopeOf(repo);
    if (scope === undefined)
      throw new InvalidInputError('--repo takes the name of a repository, such as alice/demo');
    return closing(deps.orchestrator(), async (orchestrator) => {
      const answer = await answered(deps, orchestrator.pause(name, scope));
      if ('kind' in answer)
        throw new CliError(
          'refused',
          EXIT.refused,
          'somebody has paused or unpaused the same meanwhile: bot-bottle orchestrate status',
        );
      const { changed, pauses } = answer;
      if (json) printJson(deps.io, { action: name, scope, changed, pauses });
      else
        for (const line of [sentence(name, scope, changed), ...left(name, pauses)]) printLine(deps.io, line);
      return EXIT.ok;
    });
  });
}

function sentence(name: keyof typeof ABOUT, scope: string, changed: boolean): string {
  const what = scope === EVERYWHERE ? 'every run' : scope;
  if (name === 'pause') return `${what}: ${changed ? 'no new turn starts' : 'was paused already'}`;
  return `${what}: ${changed ? 'new turns start again' : 'was not paused'}`;
}

/** What still holds turns back after an `unpause`. */
function left(name: keyof typeof ABOUT, pauses: readonly PauseRow[]): string[] {
  return name === 'pause' ? [] : pauses.map((pause) => `still: ${pauseText(pause)}`);
}
