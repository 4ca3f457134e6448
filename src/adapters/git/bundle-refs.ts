import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localGit } from './local-git.js';

const TIMEOUT_MS = 5 * 60_000;

/**
 * Writes a version 2 bundle of the repository's refs to `file`, whole or not at all. It leaves out what is behind the
 * commits of `boundary`, for which `dir` gets a `shallow` file.
 */
export async function bundleRefs(
  dir: string,
  names: Iterable<string>,
  boundary: readonly string[],
  file: string,
): Promise<void> {
  if (boundary.length > 0) await writeFile(join(dir, 'shallow'), boundary.map((sha) => `${sha}\n`).join(''));
  // A name of its own: a git that was killed leaves its lock beside the file, and the next one would respect it for ever.
  const half = `${file}.${randomUUID()}`;
  const args = ['bundle', 'create', '--quiet', '--version=2', half, ...names];
  await localGit(dir, 'writing a bundle of the forge’s commits', args, { timeoutMs: TIMEOUT_MS });
  await rename(half, file);
}
