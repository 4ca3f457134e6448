import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localGit } from './local-git.js';

const TIMEOUT_MS = 5 * 60_000;

/**
 * Writes a version 2 bundle of the repository's refs to `file`, which git does whole or not at all. It leaves out what is
 * behind the commits of `boundary`, for which `dir` gets a `shallow` file.
 */
export async function bundleRefs(
  dir: string,
  names: Iterable<string>,
  boundary: readonly string[],
  file: string,
): Promise<void> {
  if (boundary.length > 0) await writeFile(join(dir, 'shallow'), boundary.map((sha) => `${sha}\n`).join(''));
  const args = ['bundle', 'create', '--quiet', '--version=2', file, ...names];
  await localGit(dir, 'writing a bundle of the forge’s commits', args, { timeoutMs: TIMEOUT_MS });
}
