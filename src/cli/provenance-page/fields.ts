/** Values of rows, which an export may hold in any shape: what is not there is `null`. */
import { isoTimeOf } from '../../domain/base/iso-time.js';
import type { Columns, RecordedRow, RecordSource, RunRecord } from '../../domain/provenance/record.js';

export type Fields = Readonly<Record<string, unknown>>;

export function rowsOf({ rows }: RunRecord, source: RecordSource): readonly Columns[] {
  return rows.filter((row: RecordedRow) => row.source === source).map(({ columns }) => columns);
}

/** What a column holds as JSON text. */
export function parsedColumn(columns: Columns, name: string): unknown {
  try {
    return JSON.parse(String(columns[name]));
  } catch {
    return null;
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** For people; `null` where there is nothing to say. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** @param value epoch milliseconds */
export function timeOf(value: unknown): string | null {
  const time = isoTimeOf(value);
  return time === null ? null : `${time.slice(0, 19).replace('T', ' ')} UTC`;
}
