import type { ChildProcess } from 'node:child_process';
import { findExecutable } from '../find-executable.js';

/** A command whose process gets the signal when `up` is killed: Linux tells the child. Elsewhere the command itself. */
export function endingWithUp(
  signal: 'KILL' | 'TERM',
  command: readonly [program: string, ...args: string[]],
): readonly [program: string, ...args: string[]] {
  const setpriv = findExecutable('setpriv');
  return setpriv === undefined ? command : [setpriv, '--pdeathsig', signal, '--', ...command];
}

/** Asks it to stop, and kills it when it takes too long. Resolves when it has ended. */
export async function stopChild(
  child: ChildProcess,
  ended: Promise<unknown>,
  withinMs: number,
): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended;
  clearTimeout(late);
}
