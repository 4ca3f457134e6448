import { createReadStream } from 'node:fs';
import { GitError } from '../../domain/errors.js';
import { isDiskFull } from './disk-room.js';
import { localEnvironment } from './git-environment.js';
import { localFailure, plainText } from './git-failure.js';
import type { BundleHeader } from './bundle-file.js';
import { ENDED_BY_SIGNAL, runGit } from './run-git.js';

const TIMEOUT_MS = 3 * 60_000;
/** Largest single allocation of git: a commit or tree that unpacks to gigabytes ends git, not the machine. */
const ALLOCATION_LIMIT = '512m';

/**
 * Takes the bundle's pack into the quarantine: every object is checked by fsck's strict rules and every link must lead
 * to an object that is there. Resolves with the reason when it is refused.
 */
export async function takeIn(
  dir: string,
  bundleFile: string,
  header: BundleHeader,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const missing = await missingCommits(dir, header.prerequisites);
  if (missing.length > 0) {
    return `the commits build on ${short(missing)}, which the forge does not have: start from the branch as it was given`;
  }
  const args = [
    ...['--git-dir', dir, '-c', 'core.bigFileThreshold=16m', '-c', 'pack.threads=1'],
    ...['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${String(maxBytes)}`],
  ];
  const output = await runGit({
    args,
    env: { ...localEnvironment(), GIT_ALLOC_LIMIT: ALLOCATION_LIMIT },
    input: createReadStream(bundleFile, { start: header.packOffset }),
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (output.exitCode !== 0) {
    // What git says quotes the agent, a file name or an address: it does not tell a full disk from a bad object.
    if (output.exitCode === ENDED_BY_SIGNAL || (await isDiskFull(dir, maxBytes)))
      throw localFailure('taking in the new commits', output);
    return `git does not accept the commits: ${plainText(output.stderr, 300)}`;
  }
  if ((await missingCommits(dir, [header.head])).length > 0) return "the branch's tip is not a commit";
  return undefined;
}

/** Those that are no commit of the repository. */
export async function missingCommits(dir: string, shas: readonly string[]): Promise<string[]> {
  if (shas.length === 0) return [];
  const output = await runGit({
    args: ['--git-dir', dir, 'cat-file', '--batch-check=%(objectname) %(objecttype)'],
    env: localEnvironment(),
    input: shas.map((sha) => `${sha}\n`).join(''),
    timeoutMs: TIMEOUT_MS,
  });
  if (output.exitCode !== 0) throw new GitError('the repository cannot be read', true);
  const commits = new Set(
    output.stdout.split('\n').flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, 40)] : [])),
  );
  return shas.filter((sha) => !commits.has(sha));
}

function short(shas: readonly string[]): string {
  return shas
    .slice(0, 3)
    .map((sha) => sha.slice(0, 12))
    .join(', ');
}
