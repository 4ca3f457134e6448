import type { CliIo } from './base/deps.js';
import { failureOf } from './base/errors.js';
import { printJsonLine, printProblem } from './base/output.js';

/** Prints what went wrong on standard error, as a line of JSON on standard output too when asked; answers the exit status. */
export function reportFailure(io: Pick<CliIo, 'stdout' | 'stderr'>, error: unknown, json = false): number {
  const { code, exitCode, message } = failureOf(error);
  if (json) printFailure(io, { code, message });
  printProblem(io, `bot-bottle: ${message}`);
  return exitCode;
}

/** Standard output may be the very thing that failed; standard error says so. */
export function printFailure(
  io: Pick<CliIo, 'stdout'>,
  error: { readonly code: string; readonly message: string },
): void {
  try {
    printJsonLine(io, { error });
  } catch {
    // Told there.
  }
}
