/** A run's record as a file: a DSSE envelope over an in-toto statement that holds the whole of it. */
import { hasFields, isRecord } from '../base/is-record.js';
import { KEY_COLUMNS, type RunRecord } from './record.js';
import { publishedInRows } from './published.js';
import { EXPORT_PREDICATE, STATEMENT_TYPE, subjectsOf, type EnvelopeReader, type Statement } from './seal.js';
import { verifyRecord, type Problem, type Verdict } from './verify-record.js';
import { WITNESSES } from './witness.js';

export interface ExportPredicate {
  readonly exportedAt: number;
  readonly record: RunRecord;
  /** Whose word each field is. */
  readonly witnesses: typeof WITNESSES;
}

/** @param at epoch milliseconds */
export function exportStatement(record: RunRecord, at: number): Statement {
  const predicate: ExportPredicate = { exportedAt: at, record, witnesses: WITNESSES };
  return {
    _type: STATEMENT_TYPE,
    subject: subjectsOf(record.slug, record.entries.at(-1)?.hash ?? '', publishedInRows(record.rows)),
    predicateType: EXPORT_PREDICATE,
    predicate,
  };
}

/** Looks at every row of an export even where its signature is bad, to name what was changed. Never throws. */
export function verifyExport(envelope: string, reader: EnvelopeReader): Verdict {
  const opened = reader.open(envelope);
  const signature: readonly Problem[] =
    opened.kind === 'problem' ? [{ kind: 'signature', what: `the export: ${opened.problem}` }] : [];
  const statement = opened.kind === 'opened' ? opened.statement : opened.claims;
  const record = statement?.predicateType === EXPORT_PREDICATE ? recordIn(statement.predicate) : undefined;
  if (record === undefined) {
    const none: Problem = { kind: 'changed', what: 'it holds no record of a run' };
    return { slug: '', problems: [...signature, none], entries: 0, sealed: 0, ended: false, pruned: false };
  }
  const verdict = verifyRecord(record, reader);
  return { ...verdict, problems: [...signature, ...verdict.problems] };
}

function recordIn(predicate: unknown): RunRecord | undefined {
  const record = isRecord(predicate) ? predicate['record'] : undefined;
  if (!isRecord(record) || typeof record['slug'] !== 'string') return undefined;
  const { rows, entries, seals, phase } = record;
  if (!Array.isArray(rows) || !Array.isArray(entries) || !Array.isArray(seals)) return undefined;
  const isWhole =
    (phase === null || typeof phase === 'string') &&
    rows.every(isRow) &&
    entries.every((entry) =>
      hasFields(entry, ['seq', 'n'], ['slug', 'source', 'key', 'digest', 'previous', 'hash']),
    ) &&
    seals.every((seal) => hasFields(seal, ['n', 'at', 'entries'], ['slug', 'reason', 'keyId', 'envelope']));
  return isWhole ? (record as unknown as RunRecord) : undefined;
}

function isRow(row: unknown): boolean {
  if (!isRecord(row) || typeof row['source'] !== 'string' || !Object.hasOwn(KEY_COLUMNS, row['source']))
    return false;
  const { columns } = row;
  return (
    isRecord(columns) &&
    Object.values(columns).every(
      (value) => value === null || typeof value === 'string' || Number.isFinite(value),
    )
  );
}
