import { readFile, stat } from 'node:fs/promises';
import { InvalidInputError } from '../../domain/base/errors.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';
import { decodeText } from './decode-text.js';

/**
 * Text of a file of the operator's; `undefined` when it is not there.
 * @throws ManifestError for what is too long, or no text; InvalidInputError when it cannot be read
 */
export async function readManifestFile(file: string, maxBytes: number): Promise<string | undefined> {
  const content = await unlessMissing(readAtMost(file, maxBytes)).catch((cause: unknown) => {
    throw new InvalidInputError(`${file} cannot be read`, { cause });
  });
  if (content === 'longer')
    throw new ManifestError(file, [{ line: 1, message: `longer than ${String(maxBytes)} bytes` }]);
  return content && decodeText(file, content);
}

/** Looked at first: a link may lead to a pipe, which would hang whoever reads it, or to a file without an end. */
async function readAtMost(file: string, maxBytes: number): Promise<Uint8Array | 'longer'> {
  const info = await stat(file);
  if (!info.isFile()) throw new Error('it is not a regular file');
  return info.size > maxBytes ? 'longer' : readFile(file);
}
