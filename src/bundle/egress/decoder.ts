import type { Transform } from 'node:stream';

/** A body's encoding is one that is not read here. */
export class UnknownEncodingError extends Error {
  override readonly name = 'UnknownEncodingError';

  constructor(encoding: string) {
    super(`it came in the encoding ${JSON.stringify(encoding.slice(0, 40))}`);
  }
}

/**
 * What unpacks a body, and gives what it has as it comes, for streams; `undefined` for one that is plain. Errors:
 * `UnknownEncodingError`.
 * @param encoding the header's value, if there is one
 */
export async function decoderOf(encoding = ''): Promise<Transform | undefined> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return undefined;
  const { createBrotliDecompress, createGunzip, createInflate, constants } = await import('node:zlib');
  const zlib = { flush: constants.Z_SYNC_FLUSH };
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(zlib);
    case 'deflate':
      return createInflate(zlib);
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new UnknownEncodingError(name);
  }
}
