import { GitError } from '../../domain/base/errors.js';
import type { Candidate } from './check/candidate.js';
import { remoteEnvironment, withoutToken } from './git-environment.js';
import { plainText, remoteFailure } from './git-failure.js';
import type { Remote } from './remote.js';
import { runGit } from './run-git.js';

export type PushOutcome =
  | { readonly kind: 'pushed' }
  /** The branch moved on the forge since it was read: look again. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'refused'; readonly reason: string };

const RACE =
  /fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref|incorrect old value|reference already exists/i;
/** A branch stands where the new one needs a directory, or the other way round: that is no race. */
const IN_THE_WAY = "' exists; cannot create '";
/** The forge's report ended before it came to the branch: it may have taken the push. */
const UNTOLD = /\[remote failure\]|failed to report status/i;
const RIGHTS = /permission denied|not allowed to push|not authorized/i;

/**
 * Pushes by commit id, never forced: the forge itself refuses what is not a fast-forward. What is called off meanwhile may
 * have been taken.
 */
export async function push(
  { dir, head, request, signal }: Candidate,
  remote: Remote,
  timeoutMs: number,
): Promise<PushOutcome> {
  const args = [
    ...['--git-dir', dir, '-c', 'core.hooksPath=/dev/null', 'push', '--porcelain', '--no-verify'],
    ...[
      '--no-follow-tags',
      '--recurse-submodules=no',
      '--no-signed',
      '--',
      remote.url,
      `${head}:refs/heads/${request.branch}`,
    ],
  ];
  const env = remoteEnvironment(remote);
  const output = await runGit({ args, env, timeoutMs, signal });
  if (output.exitCode === 0) return { kind: 'pushed' };

  // `!\t<from>:<to>\t[remote rejected] (reason)`, git-push(1); the branch in it may be called like a reason.
  const rejection = output.stdout
    .split('\n')
    .find((line) => line.startsWith('!\t'))
    ?.split('\t')[2];
  if (rejection === undefined || UNTOLD.test(rejection))
    throw remoteFailure(`git push to ${remote.name} failed`, output, remote.token);
  if (RACE.test(rejection) && !remoteLines(output.stderr).includes(IN_THE_WAY)) return { kind: 'moved' };
  const why = plainText(withoutToken(`${rejection} ${remoteLines(output.stderr)}`, remote.token), 400);
  if (RIGHTS.test(why)) throw new GitError(`git push to ${remote.name} failed: ${why}`, false);
  return { kind: 'refused', reason: `the forge refused the push: ${why}` };
}

function remoteLines(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('remote:'));
  return lines.map((line) => line.slice('remote:'.length).trim()).join(' ');
}
