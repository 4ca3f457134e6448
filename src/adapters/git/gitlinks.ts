import {
  MAX_GITMODULES_BYTES,
  parseGitmodules,
  type DeclaredSubmodule,
  type Gitlink,
} from '../../domain/workspace/submodules.js';
import { GitOverrunError } from '../../domain/base/errors.js';
import { eachRecord, quarantineFailure, tryToRun, type InQuarantine } from './check/candidate.js';

/** A few kilobytes of nested trees stand for more entries than anybody could list. */
const MAX_ENTRIES = 2_000_000;

/**
 * What a commit's `.gitmodules` declares, read by git from the bare repository (it follows no `include` there);
 * `undefined` when there is none that counts: it must be a file at the root, of at most 64 KiB, that git can parse.
 * Errors: `GitOverrunError`, `GitError`.
 */
export async function readGitmodules(
  where: InQuarantine,
  commit: string,
): Promise<readonly DeclaredSubmodule[] | undefined> {
  let entry = '';
  await eachEntry(where, ['-l', commit, '--', '.gitmodules'], (found) => (entry = found));
  const [, mode, size] = /^(\d+) blob [0-9a-f]+ +(\d+)\t/.exec(entry) ?? [];
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
  const gitlinks: Gitlink[] = [];
  let entries = 0;
  await eachEntry(where, ['-r', commit], (entry) => {
    entries += 1;
    if (entries > MAX_ENTRIES) throw new GitOverrunError('the tree has too many files', undefined, false);
    const [, id, path] = GITLINK.exec(entry) ?? [];
    if (id !== undefined && path !== undefined) gitlinks.push({ path, commit: id });
  });
  return gitlinks;
}

const GITLINK = /^160000 commit ([0-9a-f]{40})\t(.+)$/s;

function eachEntry(
  where: InQuarantine,
  what: readonly string[],
  take: (entry: string) => void,
): Promise<void> {
  const action = 'reading the tree';
  return eachRecord(where, ['ls-tree', '-z', '--full-tree', ...what], '\0', take, { action });
}
