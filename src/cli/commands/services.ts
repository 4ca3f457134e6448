import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';

/** `up`, `worker`, `webhook`, `api`: they run until they are asked to stop. */
export function serviceCommands(parent: Command, { deps, action }: CommandContext): void {
  action(parent.command('up').description('Run everything on this machine'), () => deps.serve('up'));
  action(parent.command('worker').description('Run the worker: workflows, turns, containers'), () =>
    deps.serve('worker'),
  );
  action(parent.command('webhook').description('Receive the webhook deliveries of the forge'), () =>
    deps.serve('webhook'),
  );
  action(parent.command('api').description('Serve the HTTP API to who has a token (API_LISTEN)'), () =>
    deps.serve('api'),
  );
}
