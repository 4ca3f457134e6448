import { join } from 'node:path';
import { LFS_POINTER_BYTES, parseLfsPointer, type LfsFile, type LfsObject } from '../../domain/lfs.js';
import { isInCone } from '../../domain/submodules.js';
import { localEnvironment } from './git-environment.js';
import { localFailure } from './git-failure.js';
import { GIT_LIMITS } from './git-limits.js';
import { readObjects } from './new-objects.js';
import { runGit } from './run-git.js';

const TIMEOUT_MS = 3 * 60_000;
const MAX_OUTPUT = 512 * 1024 * 1024;

/**
 * Files of a commit that are pointers, and that its `.gitattributes` give to LFS.
 * @param dir a scratch repository: it gets an index
 */
export async function readLfsFiles(
  dir: string,
  commit: string,
  sparse: readonly string[],
): Promise<readonly LfsFile[]> {
  const small = (await git(dir, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]))
    .split('\0')
    .flatMap((entry): { readonly id: string; readonly path: string }[] => {
      const [, id, size, path] = /^100(?:644|755) blob ([0-9a-f]{40}) +(\d+)\t(.+)$/s.exec(entry) ?? [];
      if (id === undefined || path === undefined || Number(size) >= LFS_POINTER_BYTES) return [];
      return isInCone(path, sparse) ? [{ id, path }] : [];
    });
  if (small.length === 0) return [];
  const ofLfs = await pathsOfLfs(dir, commit, small);
  const filtered = small.filter(({ path }) => ofLfs.has(path));
  const pointers = await readPointers(dir, [...new Set(filtered.map(({ id }) => id))]);
  return filtered.flatMap(({ id, path }) => {
    const pointer = pointers.get(id);
    return pointer === undefined ? [] : [{ path, ...pointer }];
  });
}

/** Those of the paths that the commit's `.gitattributes` give to LFS. `dir` gets an index. */
export async function pathsOfLfs(
  dir: string,
  commit: string,
  files: readonly { readonly path: string }[],
): Promise<ReadonlySet<string>> {
  await git(dir, ['read-tree', commit]);
  const paths = files.map(({ path }) => `${path}\0`).join('');
  // Path, attribute and value of each.
  const fields = (await git(dir, ['check-attr', '--cached', '-z', '--stdin', 'filter'], paths)).split('\0');
  return new Set(files.flatMap(({ path }, index) => (fields[index * 3 + 2] === 'lfs' ? [path] : [])));
}

export async function readPointers(
  dir: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LfsObject>> {
  const found = new Map<string, LfsObject>();
  await readObjects({ dir, limits: GIT_LIMITS }, ids, ({ id }) => {
    const parts: Uint8Array[] = [];
    return {
      data: (bytes) => void parts.push(Uint8Array.from(bytes)),
      end: () => {
        const pointer = parseLfsPointer(Buffer.concat(parts).toString());
        if (pointer !== undefined) found.set(id, pointer);
      },
    };
  });
  return found;
}

async function git(dir: string, args: readonly string[], input = ''): Promise<string> {
  const output = await runGit({
    args: ['--git-dir', dir, ...args],
    env: { ...localEnvironment(), GIT_INDEX_FILE: join(dir, 'index') },
    input,
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
  if (output.exitCode !== 0) throw localFailure('looking for files of LFS', output);
  return output.stdout;
}
