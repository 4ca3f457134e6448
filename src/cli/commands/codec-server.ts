import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';

/** Runs until it is asked to stop. */
export function codecServerCommand(parent: Command, { deps, action }: CommandContext): void {
  const command = parent
    .command('codec-server')
    .description('Decrypt for Temporal’s web page and command line, on loopback (TEMPORAL_CODEC_KEYS)');
  action(command, () => deps.serve('codec-server'));
}
