import { isUtf8 } from 'node:buffer';
import { ManifestError } from '../../domain/manifest/manifest-reader.js';

/** UTF-8 without NUL. Errors: `ManifestError` with the line that is neither. */
export function decodeText(file: string, content: Uint8Array): string {
  const text = Buffer.from(content).toString('utf8');
  const refused = (mark: string, message: string): ManifestError => {
    const line = text.split('\n').findIndex((one) => one.includes(mark)) + 1;
    return new ManifestError(file, [{ line, message }]);
  };
  if (text.includes('\0')) throw refused('\0', 'has a NUL character');
  // What cannot be decoded became a replacement character.
  if (!isUtf8(content)) throw refused('\uFFFD', 'is not UTF-8');
  return text;
}
