import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';

/** Names of files that are being written; a crash may leave one behind. */
export const TEMPORARY_PREFIX = '.writing-';

export interface WriteOptions {
  /** Permission bits, whatever the umask. */
  readonly mode: number;
  /** Given to the file before its name appears; only a root host may. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** File and directory are synced: after a power cut it is there whole, or the former one is. */
  readonly durable: boolean;
}

/** Replaces a file at once: written under another name in the same directory, then renamed. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `${TEMPORARY_PREFIX}${basename(path)}-${randomBytes(6).toString('hex')}`);
  try {
    // Created closed, so that a secret is never readable under its temporary name.
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (options.owner !== undefined) await file.chown(options.owner.uid, options.owner.gid);
      await file.chmod(options.mode);
      if (options.durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  if (options.durable) await syncDirectory(directory);
}

/** Removes the file, and what a crash left of one that was being written. */
export async function removeWhole(path: string): Promise<void> {
  const directory = dirname(path);
  const half = `${TEMPORARY_PREFIX}${basename(path)}-`;
  const names = (await unlessMissing(readdir(directory))) ?? [];
  const left = names.filter((name) => name.startsWith(half)).map((name) => join(directory, name));
  await Promise.all([path, ...left].map((file) => rm(file, { force: true })));
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
