import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import { KEY_COLUMNS, type LedgerEntry, type RecordedRow } from './record.js';

/** Canonical JSON (RFC 8785): the same text for the same value, whoever writes it. */
export function canonicalJson(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a value of JSON');
  return text;
}

/** SHA-256 in hex. */
export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function keyOfRow({ source, columns }: RecordedRow): string {
  return canonicalJson(KEY_COLUMNS[source].map((name) => columns[name] ?? null));
}

/** Of the row's values, whatever later versions add beside them. */
export function digestOfRow({ columns }: RecordedRow): string {
  const present = Object.entries(columns).filter(([, value]) => value !== null);
  return digestOfText(canonicalJson(Object.fromEntries(present)));
}

export function hashOfEntry({
  seq,
  slug,
  n,
  source,
  key,
  digest,
  previous,
}: Omit<LedgerEntry, 'hash'>): string {
  return digestOfText(canonicalJson({ seq, slug, n, source, key, digest, previous }));
}

/** The entry of a row at a place in the chains. */
export function entryOf(
  row: RecordedRow,
  place: Pick<LedgerEntry, 'seq' | 'slug' | 'n' | 'previous'>,
): LedgerEntry {
  const entry = { ...place, source: row.source, key: keyOfRow(row), digest: digestOfRow(row) };
  return { ...entry, hash: hashOfEntry(entry) };
}
