import { createHash } from 'node:crypto';
import { slicesOf } from '../../domain/base/join-pieces.js';

/** Hex digest of a text's UTF-8 or of bytes. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The same of many MiB, slice by slice: others have a turn in between. */
export async function sha256OfLarge(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (const slice of slicesOf(bytes)) {
    hash.update(slice);
    await pause();
  }
  return hash.digest('hex');
}

/** Lets whatever waits on the event loop run. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
