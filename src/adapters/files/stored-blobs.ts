import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from './file-error.js';

const PREFIX = /^[0-9a-f]{2}$/;
const REST = /^[0-9a-f]{62}$/;
const BLOCK = 512;

export interface StoredBlob {
  readonly ref: string;
  readonly bytes: number;
  /** Epoch milliseconds: when the same content was last put there. */
  readonly storedAt: number;
}

export async function storedBlobs(home: string): Promise<StoredBlob[]> {
  const root = join(home, 'blobs');
  const found: StoredBlob[] = [];
  for (const prefix of ((await unlessMissing(readdir(root))) ?? []).filter((name) => PREFIX.test(name))) {
    for (const rest of ((await unlessMissing(readdir(join(root, prefix)))) ?? []).sort()) {
      const info = REST.test(rest) ? await unlessMissing(stat(join(root, prefix, rest))) : undefined;
      if (info === undefined) continue;
      found.push({ ref: prefix + rest, bytes: info.blocks * BLOCK, storedAt: info.mtimeMs });
    }
  }
  return found;
}

/**
 * Removes a blob that was not put again since `before`; false when it was. It is taken aside first, so that who puts the
 * same content now either writes it anew or has touched what is put back.
 */
export async function removeBlob(home: string, ref: string, before: number): Promise<boolean> {
  const file = join(home, 'blobs', ref.slice(0, 2), ref.slice(2));
  const aside = `${file}.going`;
  if ((await unlessMissing(rename(file, aside).then(() => true))) === undefined) return true;
  const info = await stat(aside);
  if (info.mtimeMs > before) {
    await rename(aside, file);
    return false;
  }
  await rm(aside);
  return true;
}
