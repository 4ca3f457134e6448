import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { RunFilesError } from '../file-error.js';
import { errnoOf } from '../../../domain/base/errno.js';

export async function ensureOwnDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  if (!(await lstat(path)).isDirectory()) throw new RunFilesError(`${path} is not a directory`, false);
}

/** Errors: `RunFilesError` when it is anything else than a file, a link to one included. */
export async function readRegular(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new RunFilesError(`${path} is not a regular file`, false);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Links are removed, not followed. What the bundle closed against the host (non-root) has to be removed in a container. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    throw new RunFilesError(
      `${path} could not be removed; a container that runs as root must empty it first`,
      true,
      {
        cause: error,
      },
    );
  }
}
