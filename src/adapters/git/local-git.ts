import { localEnvironment } from './git-environment.js';
import { localFailure } from './git-failure.js';
import { runGit, type GitCommand } from './run-git.js';

const TIMEOUT_MS = 60_000;

/**
 * Standard output of git in a bare repository of ours. Errors: `GitError`.
 * @param action for messages
 */
export async function localGit(
  dir: string,
  action: string,
  args: readonly string[],
  how: Partial<Pick<GitCommand, 'timeoutMs' | 'maxOutput'>> = {},
): Promise<string> {
  const command = {
    args: ['--git-dir', dir, ...args],
    env: localEnvironment(),
    timeoutMs: TIMEOUT_MS,
    ...how,
  };
  const output = await runGit(command);
  if (output.exitCode !== 0) throw localFailure(action, output);
  return output.stdout;
}
