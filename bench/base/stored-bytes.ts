/** How many bytes something has on disk. */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Bytes of the pages that a SQLite database uses, those in its log counted as if they were in place and free ones not;
 * others may write to it meanwhile. 0 when there is none. Not of a copy by `VACUUM INTO`: better-sqlite3 does not take
 * the double-quoted strings in the schema of Temporal's.
 */
export async function databaseBytes(file: string): Promise<number> {
  if (!(await exists(file))) return 0;
  const database = new Sqlite(file, { readonly: true, timeout: 10_000 });
  try {
    const pragma = (name: string): number => database.pragma(name, { simple: true }) as number;
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  } finally {
    database.close();
  }
}

/** Bytes of the files below a directory, as long as each of them is; 0 when there is nothing. `onFile` is told of each. */
export async function treeBytes(
  root: string,
  onFile: (path: string, bytes: number) => void = () => undefined,
): Promise<number> {
  if (!(await exists(root))) return 0;
  let all = 0;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await lstat(path);
    onFile(relative(root, path), size);
    all += size;
  }
  return all;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
