import { stat } from 'node:fs/promises';
import { InvalidInputError } from '../../domain/base/errors.js';
import { runGit } from './run-git.js';

const TIMEOUT_MS = 10_000;

/**
 * Address of a remote of the user's own clone, as their git has it; nothing is fetched. Errors: `InvalidInputError` that says
 * what is wanted.
 */
export async function remoteAddress(dir: string, name: 'origin' | 'upstream'): Promise<string> {
  if ((await stat(dir).catch(() => undefined))?.isDirectory() !== true)
    throw new InvalidInputError(`there is no directory ${dir}`);
  const { PATH = '/usr/bin:/bin', HOME = '/nonexistent' } = process.env;
  const env = { PATH, HOME, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  const output = await runGit({ args: ['-C', dir, 'remote', 'get-url', name], env, timeoutMs: TIMEOUT_MS });
  const address = output.stdout.split('\n')[0] ?? '';
  if (output.exitCode === 0 && address !== '') return address;
  const hint = name === 'upstream' ? `: git remote add upstream <address of what it was forked from>` : '';
  throw new InvalidInputError(
    `${dir} has no remote "${name}": call it in a clone of your fork that has the remotes "origin", the fork, and ` +
      `"upstream"${hint}`,
  );
}
