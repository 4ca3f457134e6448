import { readFile } from 'node:fs/promises';
import { InvalidInputError } from '../../domain/base/errors.js';
import { unlessMissing } from '../../domain/base/errno.js';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';
import { decodeText } from './decode-text.js';

/**
 * Text of a file of the operator's; `undefined` when it is not there.
 * @throws ManifestError for what is too long, or no text; InvalidInputError when it cannot be read
 */
export async function readManifestFile(file: string, maxBytes: number): Promise<string | undefined> {
  const content = await unlessMissing(readFile(file)).catch((cause: unknown) => {
    throw new InvalidInputError(`${file} cannot be read`, { cause });
  });
  if (content === undefined) return undefined;
  if (content.length > maxBytes)
    throw new ManifestError(file, [{ line: 1, message: `longer than ${String(maxBytes)} bytes` }]);
  return decodeText(file, content);
}
