import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInputError } from '../../domain/base/errors.js';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';
import { errnoOf } from '../../domain/base/errno.js';
import { decodeText } from './decode-text.js';

const MISSING = new Set<string | undefined>(['ENOENT', 'ENOTDIR']);

/**
 * Text of a file of a manifest directory; `undefined` when it is not there. A symbolic link is followed within the
 * directory only.
 * Errors: `ManifestError` for what is no file of ours, too long, or no text; `InvalidInputError` when it cannot be read.
 */
export async function readBeside(
  directory: string,
  name: string,
  maxBytes: number,
): Promise<string | undefined> {
  const file = path.join(directory, name);
  const refused = (message: string): ManifestError => new ManifestError(file, [{ line: 1, message }]);
  try {
    const [inside, real] = await Promise.all([realpath(directory), realpath(file)]);
    if (path.dirname(real) !== inside) throw refused('is a link out of its directory');
    // O_NONBLOCK: a named pipe in the file's place must not hang whoever reads.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw refused('is not a regular file');
      if (stat.size > maxBytes) throw refused(`longer than ${String(maxBytes)} bytes`);
      return decodeText(file, await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ManifestError) throw error;
    if (MISSING.has(errnoOf(error))) {
      // A link that leads nowhere is a mistake to tell of, not a file that is not there.
      const link = await lstat(file).catch(() => undefined);
      if (link === undefined) return undefined;
      throw refused('is a link that leads nowhere');
    }
    throw new InvalidInputError(`${file} cannot be read`, { cause: error });
  }
}
