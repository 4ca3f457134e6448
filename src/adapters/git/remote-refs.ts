import { remoteEnvironment } from './git-environment.js';
import { remoteFailure } from './git-failure.js';
import type { Remote } from './remote.js';
import { runGit } from './run-git.js';

export interface RemoteRefs {
  readonly defaultBranch: string | null;
  /** The branches asked for and the default branch: commit id, or `null` when the forge has no such branch. */
  readonly asked: ReadonlyMap<string, string | null>;
}

const TIMEOUT_MS = 60_000;

/** `git ls-remote --symref`: the default branch and the branches named, in one round trip. */
export async function readRemoteRefs(
  remote: Remote,
  gitDir: string,
  branches: readonly string[],
): Promise<RemoteRefs> {
  const patterns = branches.map((branch) => `refs/heads/${branch}`);
  const args = ['--git-dir', gitDir, 'ls-remote', '--symref', '--', remote.url, 'HEAD', ...patterns];
  const env = remoteEnvironment(remote);
  const output = await runGit({ args, env, timeoutMs: TIMEOUT_MS, signal: remote.signal });
  if (output.exitCode !== 0)
    throw remoteFailure(`git ls-remote of ${remote.name} failed`, output, remote.token);

  const asked = new Map<string, string | null>(branches.map((branch) => [branch, null]));
  let defaultBranch: string | null = null;
  let head: string | undefined;
  for (const line of output.stdout.split('\n')) {
    const [value = '', name = ''] = line.split('\t');
    if (name === 'HEAD' && value.startsWith('ref: refs/heads/'))
      defaultBranch = value.slice('ref: refs/heads/'.length);
    else if (name === 'HEAD') head = value;
    // A pattern also matches the end of a longer name; only the exact one counts.
    else if (asked.has(name.slice('refs/heads/'.length)) && name.startsWith('refs/heads/')) {
      asked.set(name.slice('refs/heads/'.length), value);
    }
  }
  // HEAD of an empty repository names a branch that does not exist.
  if (head === undefined) return { defaultBranch: null, asked };
  if (defaultBranch !== null) asked.set(defaultBranch, head);
  return { defaultBranch, asked };
}
