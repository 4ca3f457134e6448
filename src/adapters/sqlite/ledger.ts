import { entryOf } from '../../domain/provenance/chain.js';
import {
  RECORD_SOURCES,
  type Columns,
  type LedgerEntry,
  type RecordSource,
  type RecordedRow,
} from '../../domain/provenance/record.js';
import type { StateDb } from './state-tables.js';

/** Far below the most values that one statement may have. */
const ENTRIES_AT_ONCE = 500;

/** Enters rows that were just stored. To be called in the transaction that stored them. */
export async function enter(db: StateDb, source: RecordSource, rows: readonly Columns[]): Promise<void> {
  // The order in which an INSERT answers is nobody's promise.
  const inOrder = [...rows].sort((a, b) => Number(a['seq'] ?? 0) - Number(b['seq'] ?? 0));
  await enterRows(
    db,
    inOrder.map((columns) => ({ source, columns })),
  );
}

/** Enters all that is stored: the ledger is new, the rows are not. */
export async function enterAll(db: StateDb): Promise<void> {
  const rows: RecordedRow[] = [];
  for (const source of RECORD_SOURCES) {
    const stored = await db.selectFrom(source).selectAll().execute();
    rows.push(...stored.map((columns) => ({ source, columns: columns as unknown as Columns })));
  }
  const timeOf = ({ columns }: RecordedRow): number => Number(columns['at'] ?? columns['createdAt'] ?? 0);
  await enterRows(
    db,
    rows.sort((a, b) => timeOf(a) - timeOf(b)),
  );
}

async function enterRows(db: StateDb, rows: readonly RecordedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const heads = new Map<string, LedgerEntry | undefined>();
  let newest = await newestOf(db);
  const entries: LedgerEntry[] = [];
  for (const row of rows) {
    const slug = String(row.columns['slug'] ?? '');
    const head = heads.has(slug) ? heads.get(slug) : await headOf(db, slug);
    newest = entryOf(row, {
      seq: (newest?.seq ?? 0) + 1,
      slug,
      n: (head?.n ?? 0) + 1,
      previous: (head ?? newest)?.hash ?? '',
    });
    heads.set(slug, newest);
    entries.push(newest);
  }
  for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE)
    await db
      .insertInto('provenanceEntry')
      .values(entries.slice(at, at + ENTRIES_AT_ONCE))
      .execute();
}

/** The newest entry of a run. */
export async function headOf(db: StateDb, slug: string): Promise<LedgerEntry | undefined> {
  return db
    .selectFrom('provenanceEntry')
    .selectAll()
    .where('slug', '=', slug)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function newestOf(db: StateDb): Promise<LedgerEntry | undefined> {
  return db.selectFrom('provenanceEntry').selectAll().orderBy('seq', 'desc').limit(1).executeTakeFirst();
}
