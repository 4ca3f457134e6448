import {
  MAX_GITMODULES_BYTES,
  parseGitmodules,
  type DeclaredSubmodule,
  type Gitlink,
} from '../../domain/submodules.js';
import { localEnvironment } from './git-environment.js';
import { localFailure } from './git-failure.js';
import { runGit } from './run-git.js';

const TIMEOUT_MS = 2 * 60_000;
const MAX_OUTPUT = 512 * 1024 * 1024;

/**
 * What a commit's `.gitmodules` declares, read by git from the bare repository (it follows no `include` there);
 * `undefined` when there is none that counts: it must be a file at the root, of at most 64 KiB, that git can parse.
 */
export async function readGitmodules(
  gitDir: string,
  commit: string,
): Promise<readonly DeclaredSubmodule[] | undefined> {
  const [entry] = await listTree(gitDir, ['-l', commit, '--', '.gitmodules']);
  const [, mode, size] = /^(\d+) blob [0-9a-f]+ +(\d+)\t/.exec(entry ?? '') ?? [];
  if (mode !== '100644' && mode !== '100755') return undefined;
  if (Number(size) > MAX_GITMODULES_BYTES) return undefined;
  const blob = `${commit}:.gitmodules`;
  const args = ['--git-dir', gitDir, 'config', '--no-includes', `--blob=${blob}`, '-z', '--list'];
  const output = await runGit({ args, env: localEnvironment(), timeoutMs: TIMEOUT_MS });
  return output.exitCode === 0 ? parseGitmodules(output.stdout) : undefined;
}

/** The submodules of a commit's tree, at whatever depth. No symbolic link leads to any: git's trees are read, not files. */
export async function readGitlinks(gitDir: string, commit: string): Promise<readonly Gitlink[]> {
  const entries = await listTree(gitDir, ['-r', commit]);
  return entries.flatMap((entry) => {
    const [, id, path] = /^160000 commit ([0-9a-f]{40})\t(.+)$/s.exec(entry) ?? [];
    return id === undefined || path === undefined ? [] : [{ path, commit: id }];
  });
}

async function listTree(gitDir: string, what: readonly string[]): Promise<string[]> {
  const output = await runGit({
    args: ['--git-dir', gitDir, 'ls-tree', '-z', '--full-tree', ...what],
    env: localEnvironment(),
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
  if (output.exitCode !== 0) throw localFailure('reading the tree', output);
  return output.stdout.split('\0').filter((entry) => entry !== '');
}
