import { createHash } from 'node:crypto';

/** Hex digest of a text's UTF-8 or of bytes. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
