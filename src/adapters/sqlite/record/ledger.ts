import type { Database as Connection, Statement } from 'better-sqlite3';
import { entryOf } from '../../../domain/provenance/chain.js';
import {
  RECORD_SOURCES,
  type Columns,
  type LedgerEntry,
  type RecordedRow,
} from '../../../domain/provenance/record.js';
import type { StateDb } from '../state-tables.js';

type Newest = Pick<LedgerEntry, 'seq' | 'hash'>;
type Head = Pick<LedgerEntry, 'n' | 'hash'>;

/** Table `provenance_entry`, as it is written. */
export class Ledger {
  private readonly newest: Statement<[], Newest>;
  private readonly head: Statement<[string], Head>;
  private readonly insert: Statement<(string | number)[]>;

  constructor(connection: Connection) {
    this.newest = connection.prepare('select seq, hash from provenance_entry order by seq desc limit 1');
    this.head = connection.prepare(
      'select n, hash from provenance_entry where slug = ? order by n desc limit 1',
    );
    this.insert = connection.prepare(
      `insert into provenance_entry (seq, slug, n, source, key, digest, previous, hash)
        values (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** Enters rows that were just stored. To be called in the transaction that stored them. */
  enter(rows: readonly RecordedRow[]): void {
    const heads = new Map<string, Head | undefined>();
    let newest: Newest | undefined = rows.length === 0 ? undefined : this.newest.get();
    for (const row of rows) {
      const slug = String(row.columns['slug'] ?? '');
      const head = heads.has(slug) ? heads.get(slug) : this.head.get(slug);
      const entry = entryOf(row, {
        seq: (newest?.seq ?? 0) + 1,
        slug,
        n: (head?.n ?? 0) + 1,
        previous: (head ?? newest)?.hash ?? '',
      });
      heads.set(slug, entry);
      newest = entry;
      const { seq, n, source, key, digest, previous, hash } = entry;
      this.insert.run(seq, slug, n, source, key, digest, previous, hash);
    }
  }
}

/** Enters all that is stored: the ledger is new, the rows are not. */
export async function enterAll(db: StateDb, connection: Connection): Promise<void> {
  const rows: RecordedRow[] = [];
  for (const source of RECORD_SOURCES) {
    const stored = await db.selectFrom(source).selectAll().execute();
    rows.push(...stored.map((columns) => ({ source, columns: columns as unknown as Columns })));
  }
  const timeOf = ({ columns }: RecordedRow): number => Number(columns['at'] ?? columns['createdAt'] ?? 0);
  new Ledger(connection).enter(rows.sort((a, b) => timeOf(a) - timeOf(b)));
}
