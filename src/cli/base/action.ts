import type { Command } from 'commander';
import { parseDuration } from '../../domain/base/duration.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { messageOf } from '../../domain/base/message-of.js';
import type { CliDeps } from './deps.js';
import { printProblem } from './output.js';

/** A command's work: its options as commander parsed them, its arguments; resolves with the exit status. */
export type CommandWork<O extends object> = (options: O, args: readonly string[]) => Promise<number> | number;

/** What the commands are registered with. */
export interface CommandContext {
  readonly deps: CliDeps;
  readonly action: <O extends object>(command: Command, work: CommandWork<O>) => void;
}

/**
 * Of a group's default command, which takes no argument: commander hands it what is the name of no other one. Without
 * this it says that there are too many arguments.
 */
export function namesTheOthers(command: Command): void {
  const group = command.parent;
  command.allowExcessArguments().hook('preAction', () => {
    const [given] = command.args;
    if (given === undefined || group === null) return;
    const names = group.commands.map((one) => one.name()).join(', ');
    throw new InvalidInputError(`${group.name()} has no subcommand "${given}": there are ${names}`);
  });
}

/** Does the work with what a command has opened, and closes that however the work ends. */
export async function closing<O extends { close(): Promise<void> }, T>(
  opening: O | Promise<O>,
  work: (opened: O) => T | Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Milliseconds after which whoever waits is told so. */
const SILENT_MS = 5_000;

/** The answer of Temporal, its worker or the forge. One that is slow to come is said to be, once, on standard error. */
export async function answered<T>({ io }: Pick<CliDeps, 'io'>, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    printProblem(io, 'bot-bottle: no answer yet from Temporal, its worker or the forge, still waiting');
  }, SILENT_MS);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}

/** An option that may be repeated; every value is kept, in order. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

/** The text of `--prompt`. Nothing is what a shell makes of `"$(cat missing)"`. Errors: `InvalidInputError`. */
export function promptText(text: string): string {
  if (text.trim() === '') throw new InvalidInputError('--prompt is empty: say what the agent should do');
  return text;
}

/** The milliseconds of an option such as `--by`. Errors: `InvalidInputError`, which names it. */
export function durationOf(option: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidInputError(`${option}: ${messageOf(error)}`, { cause: error });
  }
}
