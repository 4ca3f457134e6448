import type { Command } from 'commander';
import type { CommandContext } from '../base/action.js';
import type { ServiceRole } from '../base/deps.js';

const ABOUT = {
  up: 'Run everything on this machine',
  worker: 'Run the worker: workflows, turns, containers',
  webhook: 'Receive the webhook deliveries of the forge',
  api: 'Serve the HTTP API (API_LISTEN); requests need a token',
  'codec-server': 'Decrypt for Temporal’s web page and command line, on loopback (TEMPORAL_CODEC_KEYS)',
} as const satisfies Readonly<Record<ServiceRole, string>>;

/** Runs until it is asked to stop. */
export function serviceCommand(parent: Command, { deps, action }: CommandContext, role: ServiceRole): void {
  action(parent.command(role).description(ABOUT[role]), () => deps.serve(role));
}
