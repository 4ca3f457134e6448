import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
/** A scratch repository this old was left by a crash. */
const LEFT_BEHIND_MS = 24 * 60 * 60_000;

/** Where they are. No forge's name begins with a dot. */
export function scratchDirectory(mirrorsDir: string): string {
  return join(mirrorsDir, '.scratch');
}

/**
 * A bare repository that borrows the mirror's objects, has exactly the given refs and is gone when `work` ends. Its
 * files are written by us: that is faster than `git init`, and leaves no hooks or template of the machine in it.
 * @param refs full ref name to commit id
 */
export async function withScratchRepository<T>(
  parentDir: string,
  mirrorDir: string,
  refs: ReadonlyMap<string, string>,
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const dir = join(parentDir, randomUUID());
  try {
    await mkdir(join(dir, 'objects', 'info'), { recursive: true, mode: 0o700 });
    await mkdir(join(dir, 'refs'));
    const packed = [...refs].map(([name, sha]) => `${sha} ${name}\n`).join('');
    await Promise.all([
      writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
      writeFile(join(dir, 'config'), CONFIG),
      writeFile(join(dir, 'packed-refs'), packed),
      writeFile(join(dir, 'objects', 'info', 'alternates'), `${join(mirrorDir, 'objects')}\n`),
    ]);
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes what a crash left behind. Answers how many repositories that was. */
export async function removeLeftBehind(parentDir: string): Promise<number> {
  let removed = 0;
  const now = Date.now();
  for (const name of (await unlessMissing(readdir(parentDir))) ?? []) {
    const dir = join(parentDir, name);
    const info = await stat(dir).catch(() => undefined);
    if (info === undefined || now - info.mtimeMs <= LEFT_BEHIND_MS) continue;
    await rm(dir, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
