import { statfs } from 'node:fs/promises';

/** Below it git's own files may not find room either, bytes. */
const MARGIN = 64 * 1024 * 1024;

/** Whether the disk of a directory has no room for so many bytes more: asked of the disk, since git quotes what agents write. */
export async function isDiskFull(dir: string, bytes: number): Promise<boolean> {
  const { bavail, bsize, files, ffree } = await statfs(dir);
  return bavail * bsize < bytes + MARGIN || (files > 0 && ffree === 0);
}
