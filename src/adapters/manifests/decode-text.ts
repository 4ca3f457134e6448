import { ManifestError } from '../../domain/manifest/manifest-reader.js';

const NEWLINE = 0x0a;

/** UTF-8 without NUL. Errors: `ManifestError` with the line that is neither. */
export function decodeText(file: string, content: Uint8Array): string {
  const nul = content.indexOf(0);
  if (nul !== -1)
    throw new ManifestError(file, [{ line: lineAt(content, nul), message: 'has a NUL character' }]);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new ManifestError(file, [{ line: firstBadLine(content), message: 'is not UTF-8' }], { cause });
  }
}

/** No character of UTF-8 contains the byte of a newline, so that lines can be decoded one by one. */
function firstBadLine(content: Uint8Array): number {
  let start = 0;
  for (let line = 1; ; line += 1) {
    const newline = content.indexOf(NEWLINE, start);
    try {
      const end = newline === -1 ? content.length : newline;
      new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(start, end));
    } catch {
      return line;
    }
    if (newline === -1) return line;
    start = newline + 1;
  }
}

function lineAt(content: Uint8Array, offset: number): number {
  return content.subarray(0, offset).reduce((line, byte) => (byte === NEWLINE ? line + 1 : line), 1);
}
