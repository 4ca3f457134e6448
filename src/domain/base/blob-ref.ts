const BLOB = /^[0-9a-f]{64}$/;

/** What names a blob: the SHA-256 of its content, hexadecimal. */
export function isBlobRef(value: unknown): value is string {
  return typeof value === 'string' && BLOB.test(value);
}
