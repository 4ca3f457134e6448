import {
  MAX_GITMODULES_BYTES,
  parseGitmodules,
  type DeclaredSubmodule,
  type Gitlink,
} from '../../domain/workspace/submodules.js';
import { GitOverrunError } from '../../domain/base/errors.js';
import { quarantineFailure, run, tryToRun, type InQuarantine } from './check/candidate.js';

const MAX_OUTPUT = 512 * 1024 * 1024;

/**
 * What a commit's `.gitmodules` declares, read by git from the bare repository (it follows no `include` there);
 * `undefined` when there is none that counts: it must be a file at the root, of at most 64 KiB, that git can parse.
 * Errors: `GitOverrunError`, `GitError`.
 */
export async function readGitmodules(
  where: InQuarantine,
  commit: string,
): Promise<readonly DeclaredSubmodule[] | undefined> {
  const [entry] = await listTree(where, ['-l', commit, '--', '.gitmodules']);
  const [, mode, size] = /^(\d+) blob [0-9a-f]+ +(\d+)\t/.exec(entry ?? '') ?? [];
  if (mode !== '100644' && mode !== '100755') return undefined;
  if (Number(size) > MAX_GITMODULES_BYTES) return undefined;
  const args = ['config', '--no-includes', `--blob=${commit}:.gitmodules`, '-z', '--list'];
  const output = await tryToRun(where, args);
  if (output.exitCode === 0) return parseGitmodules(output.stdout);
  const failure = quarantineFailure(output, 'reading .gitmodules');
  if (failure instanceof GitOverrunError) throw failure;
  return undefined;
}

/**
 * The submodules of a commit's tree, at whatever depth. No symbolic link leads to any: git's trees are read, not files.
 * Errors: `GitOverrunError`, `GitError`.
 */
export async function readGitlinks(where: InQuarantine, commit: string): Promise<readonly Gitlink[]> {
  const entries = await listTree(where, ['-r', commit]);
  return entries.flatMap((entry) => {
    const [, id, path] = /^160000 commit ([0-9a-f]{40})\t(.+)$/s.exec(entry) ?? [];
    return id === undefined || path === undefined ? [] : [{ path, commit: id }];
  });
}

async function listTree(where: InQuarantine, what: readonly string[]): Promise<string[]> {
  const args = ['ls-tree', '-z', '--full-tree', ...what];
  const { stdout } = await run(where, args, { maxOutput: MAX_OUTPUT, action: 'reading the tree' });
  return stdout.split('\0').filter((entry) => entry !== '');
}
