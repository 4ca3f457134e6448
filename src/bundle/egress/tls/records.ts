import type { ByteSource } from './byte-source.js';

/** Content types of RFC 8446 §5.1. */
export const CHANGE_CIPHER_SPEC = 20;
export const ALERT = 21;
export const HANDSHAKE = 22;
export const APPLICATION_DATA = 23;

/** RFC 5246 §6.2.3: the most that one record has, encrypted. Plain ones have 2^14. */
const MAX_PAYLOAD = 2 ** 14 + 2048;
const HEADER_BYTES = 5;

export interface TlsRecord {
  readonly kind: 'record';
  readonly type: number;
  readonly payload: Buffer;
  /** All of it, as it came. */
  readonly bytes: Buffer;
}

export type NextRecord =
  | TlsRecord
  /** The stream ended, or its time was over, before the first byte of a record, or within one (`isPart`). */
  | { readonly kind: 'none'; readonly isPart: boolean }
  | { readonly kind: 'no tls' };

/** The next record, as soon as all of it is here. What cannot be one is known by its first five bytes. */
export async function nextRecord(source: ByteSource): Promise<NextRecord> {
  const header = await source.take(HEADER_BYTES);
  if (header === undefined) return { kind: 'none', isPart: !source.isEmpty };
  const [type = 0, major, minor = 0] = header;
  const length = header.readUInt16BE(3);
  const isTls =
    type >= CHANGE_CIPHER_SPEC && type <= APPLICATION_DATA && major === 3 && minor >= 1 && minor <= 3;
  if (!isTls || length === 0 || length > MAX_PAYLOAD) return { kind: 'no tls' };
  const payload = await source.take(length);
  if (payload === undefined) return { kind: 'none', isPart: true };
  return { kind: 'record', type, payload, bytes: Buffer.concat([header, payload]) };
}
