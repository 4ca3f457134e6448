import { GitError, GitOverrunError } from '../../../domain/base/errors.js';
import type { GitPublishRequest } from '../../../domain/workspace/git-repository.js';
import { localEnvironment } from '../git-environment.js';
import { localFailure } from '../git-failure.js';
import type { GitLimits } from '../git-limits.js';
import { Records } from './records.js';
import { runGit, type GitCommand, type GitOutput } from '../run-git.js';

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
  /** Those that no branch of the forge has, oldest first. */
  readonly commits: readonly string[];
  /** Of every git process that looks at it. */
  readonly limits: GitLimits;
  /** Ends them. */
  readonly signal?: AbortSignal | undefined;
}

export type InQuarantine = Pick<Candidate, 'dir' | 'limits' | 'signal'>;

export const FORGE_REFS = 'refs/forge/';
/** Among them, since its commits are known as those are; a branch of that name would only be checked once more. */
export const UPSTREAM_REF = `${FORGE_REFS}bot-bottle/upstream`;
/** `rev-list` arguments for what the candidate has and no branch of the forge. */
export function newCommits({ head }: Pick<Candidate, 'head'>): string[] {
  return [head, '--not', `--glob=${FORGE_REFS}*`];
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

const MAX_OUTPUT = 64 * 1024 * 1024;
/** git's own words when `ulimit -v` or `GIT_ALLOC_LIMIT` stops it. Whoever makes it say so is refused, no more. */
const OUT_OF_MEMORY = /out of memory|mmap failed|cannot allocate memory|attempting to allocate/i;

/** Output of a git command in the quarantine. Errors: `GitError`. */
export async function quarantined(
  candidate: InQuarantine,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const output = await run(candidate, args, { maxOutput: MAX_OUTPUT, input });
  return output.stdout;
}

/** The same for output that may be long: each record as it comes, without the byte that ends it. Errors: also the taker's. */
export async function eachRecord(
  candidate: InQuarantine,
  args: readonly string[],
  separator: '\n' | '\0',
  take: (record: string) => void,
  how: Pick<Parameters<typeof run>[2], 'input' | 'action'> = {},
): Promise<void> {
  const records = new Records(separator, take);
  await run(candidate, args, {
    ...how,
    onOutput: (chunk) => {
      records.push(chunk);
    },
  });
  records.end();
}

type How = Pick<GitCommand, 'input' | 'maxOutput' | 'onOutput'> & {
  /** Beside those of `localEnvironment`. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs git on an agent's objects, within limits. Errors: `GitOverrunError`, `GitError`. */
export async function run(
  candidate: InQuarantine,
  args: readonly string[],
  how: How & {
    /** For messages. */
    readonly action?: string;
  },
): Promise<GitOutput> {
  const { action, ...rest } = how;
  const output = await tryToRun(candidate, args, rest);
  if (output.exitCode !== 0) throw quarantineFailure(output, action);
  return output;
}

/** The same, resolving with any exit code. */
export function tryToRun(
  { dir, limits, signal }: InQuarantine,
  args: readonly string[],
  { env, ...how }: How = {},
): Promise<GitOutput> {
  return runGit({
    args: ['--git-dir', dir, ...args],
    env: { ...localEnvironment(), ...env },
    timeoutMs: limits.timeoutMs,
    limits,
    signal,
    ...how,
  });
}

export function quarantineFailure(output: GitOutput, action = 'checking the new commits'): GitError {
  const failure = localFailure(action, output);
  return OUT_OF_MEMORY.test(output.stderr) ? new GitOverrunError(failure.message) : failure;
}

/** `git merge-base --is-ancestor`: a commit is its own ancestor. Errors: `GitError` when a commit is not there. */
export async function isAncestorIn(
  where: InQuarantine,
  ancestor: string,
  descendant: string,
): Promise<boolean> {
  const { exitCode } = await tryToRun(where, ['merge-base', '--is-ancestor', ancestor, descendant]);
  if (exitCode === 0) return true;
  if (exitCode === 1) return false;
  throw new GitError(`${ancestor} or ${descendant} is not a commit of the mirror`, false);
}
