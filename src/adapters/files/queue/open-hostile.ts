import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf } from '../../../domain/base/errno.js';

export type HostileRead =
  | { readonly kind: 'content'; readonly content: Uint8Array }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads a file that whoever owns the directory may have replaced by anything, at any moment:
 * no link is followed, a pipe does not block, and what was opened, not what a name says, is checked.
 */
export async function readHostileFile(path: string, uid: number, maxBytes: number): Promise<HostileRead> {
  let handle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errnoOf(error) ?? 'unknown';
    return code === 'ENOENT'
      ? { kind: 'gone' }
      : { kind: 'refused', reason: code === 'ELOOP' ? 'a link' : `not readable (${code})` };
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) return { kind: 'refused', reason: 'not a regular file' };
    // Its writer took it back after it was opened.
    if (found.nlink === 0) return { kind: 'gone' };
    if (found.nlink !== 1) return { kind: 'refused', reason: `${String(found.nlink)} links` };
    if (found.uid !== uid) return { kind: 'refused', reason: `written by uid ${String(found.uid)}` };
    if (found.size > maxBytes) return { kind: 'refused', reason: `${String(found.size)} bytes` };
    // One byte more than allowed shows that it grew since.
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) return { kind: 'content', content: buffer.subarray(0, length) };
      length += bytesRead;
    }
    return { kind: 'refused', reason: 'grew while it was read' };
  } finally {
    await handle.close();
  }
}
