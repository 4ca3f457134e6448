import { chmod, chown, lstat, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunFilesError, errnoOf, unlessMissing } from './file-error.js';
import { syncDirectory } from './write-file.js';

/** Makes a directory that nobody else may enter, or makes sure that the one that is there is such. */
export async function ensurePrivate(path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) await syncDirectory(dirname(path));
  const found = await stat(path);
  if (!found.isDirectory()) throw new RunFilesError(`${path} is not a directory`, false);
  if ((found.mode & 0o077) === 0) return;
  try {
    await chmod(path, 0o700);
  } catch (error) {
    throw new RunFilesError(
      `${path} can be entered by others, and that cannot be changed: chmod 0700 it`,
      false,
      {
        cause: error,
      },
    );
  }
}

export interface DirectoryRights {
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/**
 * Makes a directory with exactly these rights. One that is there already keeps its own: a workspace is never touched
 * again after its first start. It appears with its rights, so a crash leaves none without.
 */
export async function ensureWithRights(path: string, rights: DirectoryRights): Promise<void> {
  const found = await unlessMissing(lstat(path));
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new RunFilesError(`${path} is not a directory`, false);
  const temporary = `${path}.making`;
  await mkdir(temporary, { recursive: true });
  if (rights.owner !== undefined) await chown(temporary, rights.owner.uid, rights.owner.gid);
  await chmod(temporary, rights.mode);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Made by somebody else meanwhile, and used already.
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST') throw error;
  }
}
