import { lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { QUEUE_MESSAGE_BYTES } from '../../../domain/run/queue.js';

/** Refused files that are kept for whoever looks into it. */
const KEPT = 32;

/**
 * Takes an entry out of the queue: moved to `keepIn`, if there is one, when it is a small regular file and few are kept, else deleted.
 * Never throws: what cannot be moved (a directory with content) stays, is refused each time, and counts towards the flood
 * limit. Nothing is looked for in a directory: who made it may put a link in its place at any moment.
 */
export async function takeAway(path: string | Buffer, keepIn: string | null): Promise<void> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) {
      await rmdir(path);
    } else if (
      keepIn !== null &&
      found.isFile() &&
      found.nlink === 1 &&
      found.size <= QUEUE_MESSAGE_BYTES &&
      (await count(keepIn)) < KEPT
    ) {
      await rename(path, join(keepIn, randomBytes(8).toString('hex')));
    } else {
      await unlink(path);
    }
  } catch {
    // Gone already, or not ours to remove.
  }
}

async function count(directory: string): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return (await readdir(directory)).length;
}
