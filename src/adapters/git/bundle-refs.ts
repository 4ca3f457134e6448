import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localEnvironment } from './git-environment.js';
import { localFailure } from './git-failure.js';
import { runGit } from './run-git.js';

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
  const half = `${file}.new`;
  if (boundary.length > 0) await writeFile(join(dir, 'shallow'), boundary.map((sha) => `${sha}\n`).join(''));
  const args = ['--git-dir', dir, 'bundle', 'create', '--quiet', '--version=2', half, ...names];
  const output = await runGit({ args, env: localEnvironment(), timeoutMs: TIMEOUT_MS });
  if (output.exitCode !== 0) {
    await rm(half, { force: true });
    throw localFailure('writing a bundle of the forge’s commits', output);
  }
  await rename(half, file);
}
