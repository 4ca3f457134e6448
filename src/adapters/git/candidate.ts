import { GitError } from '../../domain/errors.js';
import type { GitPublishRequest } from '../../domain/git-repository.js';
import { localEnvironment } from './git-environment.js';
import { localFailure } from './git-failure.js';
import { runGit } from './run-git.js';

/** Commits in quarantine that ask to be published, and what the forge has at this moment. */
export interface Candidate {
  readonly request: GitPublishRequest;
  /** The quarantine: a bare repository with the forge's branches as `refs/forge/*`. */
  readonly dir: string;
  readonly head: string;
  /** The run's branch on the forge, `null` before the first push. */
  readonly branchSha: string | null;
  /** Tip of the branch the pull request goes to. */
  readonly baseTip: string | null;
  /** How many commits it has that no branch of the forge has. */
  readonly commits: number;
}

export const FORGE_REFS = 'refs/forge/';
/** `rev-list` arguments for what the candidate has and no branch of the forge. */
export function newCommits(candidate: Candidate): string[] {
  return [candidate.head, '--not', `--glob=${FORGE_REFS}*`];
}

/** A question that several checks ask of the same commits. */
export function oncePerCandidate<T>(
  ask: (candidate: Candidate) => Promise<T>,
): (candidate: Candidate) => Promise<T> {
  const answers = new WeakMap<Candidate, Promise<T>>();
  return (candidate) => {
    const known = answers.get(candidate) ?? ask(candidate);
    answers.set(candidate, known);
    return known;
  };
}

/** A check that takes longer will again: then the commits are refused, while their agent may be waiting. */
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Output of a git command in the quarantine. Errors: `GitError`. */
export async function quarantined(
  candidate: Candidate,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const output = await runGit({
    args: ['--git-dir', candidate.dir, ...args],
    env: localEnvironment(),
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
    signal: candidate.request.signal,
    ...(input === undefined ? {} : { input }),
  });
  if (output.exitCode !== 0) throw localFailure('checking the new commits', output);
  return output.stdout;
}

/** `git merge-base --is-ancestor`: a commit is its own ancestor. Errors: `GitError` when a commit is not there. */
export async function isAncestorIn(dir: string, ancestor: string, descendant: string): Promise<boolean> {
  const args = ['--git-dir', dir, 'merge-base', '--is-ancestor', ancestor, descendant];
  const output = await runGit({ args, env: localEnvironment(), timeoutMs: TIMEOUT_MS });
  if (output.exitCode === 0) return true;
  if (output.exitCode === 1) return false;
  throw new GitError(`${ancestor} or ${descendant} is not a commit of the mirror`, false);
}
