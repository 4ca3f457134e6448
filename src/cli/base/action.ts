import type { Command } from 'commander';
import type { CliDeps } from './deps.js';
import type { Orchestrator } from './orchestrator.js';

/** A command's work: its options as commander parsed them, its arguments; resolves with the exit status. */
export type CommandWork<O extends object> = (options: O, args: readonly string[]) => Promise<number> | number;

/** What the commands are registered with. */
export interface CommandContext {
  readonly deps: CliDeps;
  readonly action: <O extends object>(command: Command, work: CommandWork<O>) => void;
}

/** Connects, does the work, and closes the connection however the work ends. */
export async function withOrchestrator<T>(
  deps: CliDeps,
  work: (orchestrator: Orchestrator) => Promise<T>,
): Promise<T> {
  const orchestrator = await deps.orchestrator();
  try {
    return await work(orchestrator);
  } finally {
    await orchestrator.close();
  }
}

/** An option that may be repeated; every value is kept, in order. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
