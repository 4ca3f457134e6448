import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';
import { ownBytes } from '../system/tree-bytes.js';

const PREFIX = /^[0-9a-f]{2}$/;
const REST = /^[0-9a-f]{62}$/;
/** Of a blob that `gc` is about to remove. */
const ASIDE = /^([0-9a-f]{62})\.going-[0-9a-f-]{36}$/;

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
    const byRef = new Map<string, StoredBlob>();
    for (const name of ((await unlessMissing(readdir(join(root, prefix)))) ?? []).sort()) {
      const rest = REST.test(name) ? name : ASIDE.exec(name)?.[1];
      const info = rest === undefined ? undefined : await unlessMissing(stat(join(root, prefix, name)));
      if (rest === undefined || info === undefined) continue;
      const ref = prefix + rest;
      const known = byRef.get(ref);
      const bytes = ownBytes(info) + (known?.bytes ?? 0);
      byRef.set(ref, { ref, bytes, storedAt: Math.max(info.mtimeMs, known?.storedAt ?? 0) });
    }
    found.push(...byRef.values());
  }
  return found;
}

/**
 * Removes a blob that was not put again since `before`; false when it was. It is taken aside first, so that who puts the
 * same content now either writes it anew or has touched what is put back. What a crash has left aside goes too.
 */
export async function removeBlob(home: string, ref: string, before: number): Promise<boolean> {
  const directory = join(home, 'blobs', ref.slice(0, 2));
  const rest = ref.slice(2);
  const names = (await unlessMissing(readdir(directory))) ?? [];
  for (const name of names) {
    const info =
      ASIDE.exec(name)?.[1] === rest ? await unlessMissing(stat(join(directory, name))) : undefined;
    if (info !== undefined && info.mtimeMs <= before) await rm(join(directory, name), { force: true });
  }
  const file = join(directory, rest);
  // A name of its own: another `gc` may be at the same blob.
  const aside = `${file}.going-${randomUUID()}`;
  if ((await unlessMissing(rename(file, aside).then(() => true))) === undefined) return true;
  const info = await unlessMissing(stat(aside));
  if (info !== undefined && info.mtimeMs > before) {
    await rename(aside, file);
    return false;
  }
  await rm(aside, { force: true });
  return true;
}
