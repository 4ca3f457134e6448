import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';

const BLOCK = 512;

/**
 * Bytes on the disk of a tree that only the host writes: never called on a workspace or on what the bundle writes. Links
 * are not followed; what goes meanwhile counts as nothing.
 */
export async function treeBytes(path: string): Promise<number> {
  const found = await unlessMissing(lstat(path));
  if (found === undefined) return 0;
  const own = ownBytes(found);
  if (!found.isDirectory()) return own;
  let sum = own;
  for (const name of (await unlessMissing(readdir(path))) ?? []) sum += await treeBytes(join(path, name));
  return sum;
}

/** Of several trees together. */
export async function sumOfTrees(paths: readonly string[]): Promise<number> {
  return (await Promise.all(paths.map(treeBytes))).reduce((sum, bytes) => sum + bytes, 0);
}

/** Without what is in it. */
export function ownBytes({ blocks }: Stats): number {
  return blocks * BLOCK;
}
