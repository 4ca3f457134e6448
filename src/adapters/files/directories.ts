import { chmod, chown, lstat, mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { RunFilesError } from './file-error.js';
import { errnoOf, unlessMissing } from '../../domain/base/errno.js';

/**
 * Makes `$BOT_BOTTLE_HOME` with mode 0700 when it is missing. One that is there keeps its mode: it may be a place that
 * others share by mistake (`/tmp`), and what is ours below it is closed by itself.
 */
export async function ensureHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
}

/**
 * Makes a directory that nobody else may enter, or makes sure that the one that is there is such. Its name is on the
 * disk when the caller has synced the directory above.
 */
export async function ensurePrivate(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
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

/** What is in use stays, and what is gone already is fine. */
export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Ends the name of a directory that has not got its rights yet; a crash may leave one behind, empty. */
export const MAKING_SUFFIX = '.making';

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
  const temporary = path + MAKING_SUFFIX;
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
