import { stat, statfs } from 'node:fs/promises';
import type { DiskSpace, FileSystemSpace } from '../../domain/bottle/disk-usage.js';

/**
 * The file systems below these paths, each once. One that is not here (the engine's data of another machine, or of this
 * one seen from a container) makes the answer incomplete. Walks nothing.
 */
export async function freeSpace(paths: readonly string[]): Promise<DiskSpace> {
  const seen = new Map<number, FileSystemSpace>();
  let complete = true;
  for (const path of paths) {
    try {
      const { dev } = await stat(path);
      if (seen.has(dev)) continue;
      const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
      seen.set(dev, {
        path,
        freeBytes: bavail * bsize,
        usedBytes: (blocks - bfree) * bsize,
        inodes: files,
        freeInodes: ffree,
        usedInodes: files - ffree,
      });
    } catch {
      complete = false;
    }
  }
  return { fileSystems: [...seen.values()], complete };
}
