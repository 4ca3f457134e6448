import { join } from 'node:path';
import {
  LFS_POINTER_BYTES,
  parseLfsPointer,
  type LfsFile,
  type LfsObject,
} from '../../../domain/workspace/lfs.js';
import { isInCone } from '../../../domain/workspace/submodules.js';
import { run, type InQuarantine } from './candidate.js';
import { readObjects } from './new-objects.js';

const MAX_OUTPUT = 512 * 1024 * 1024;

/**
 * Files of a commit that are pointers, and that its `.gitattributes` give to LFS. Errors: `GitOverrunError`, `GitError`.
 * @param where a scratch repository: it gets an index
 */
export async function readLfsFiles(
  where: InQuarantine,
  commit: string,
  sparse: readonly string[],
): Promise<readonly LfsFile[]> {
  const small = (await git(where, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit]))
    .split('\0')
    .flatMap((entry): { readonly id: string; readonly path: string }[] => {
      const [, id, size, path] = /^100(?:644|755) blob ([0-9a-f]{40}) +(\d+)\t(.+)$/s.exec(entry) ?? [];
      if (id === undefined || path === undefined || Number(size) >= LFS_POINTER_BYTES) return [];
      return isInCone(path, sparse) ? [{ id, path }] : [];
    });
  if (small.length === 0) return [];
  const ofLfs = await pathsOfLfs(where, commit, small);
  const filtered = small.filter(({ path }) => ofLfs.has(path));
  const pointers = await readPointers(where, [...new Set(filtered.map(({ id }) => id))]);
  return filtered.flatMap(({ id, path }) => {
    const pointer = pointers.get(id);
    return pointer === undefined ? [] : [{ path, ...pointer }];
  });
}

/** Those of the paths that the commit's `.gitattributes` give to LFS. The repository gets an index. */
export async function pathsOfLfs(
  where: InQuarantine,
  commit: string,
  files: readonly { readonly path: string }[],
): Promise<ReadonlySet<string>> {
  await git(where, ['read-tree', commit]);
  const paths = files.map(({ path }) => `${path}\0`).join('');
  // Path, attribute and value of each.
  const fields = (await git(where, ['check-attr', '--cached', '-z', '--stdin', 'filter'], paths)).split('\0');
  return new Set(files.flatMap(({ path }, index) => (fields[index * 3 + 2] === 'lfs' ? [path] : [])));
}

export async function readPointers(
  where: InQuarantine,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LfsObject>> {
  const found = new Map<string, LfsObject>();
  await readObjects(where, ids, ({ id }) => {
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

async function git(where: InQuarantine, args: readonly string[], input = ''): Promise<string> {
  const { stdout } = await run(where, args, {
    input,
    env: { GIT_INDEX_FILE: join(where.dir, 'index') },
    maxOutput: MAX_OUTPUT,
    action: 'looking for files of LFS',
  });
  return stdout;
}
