import type { Database as Connection } from 'better-sqlite3';
import type { Insertable } from 'kysely';
import type { Columns, RecordSource } from '../../../domain/provenance/record.js';
import type { StateTables } from '../state-tables.js';
import { Ledger } from './ledger.js';

/** Appends to a table of the record: what is new is entered in the ledger in the same transaction. Errors: `StoreError`. */
export type RecordRows = <T extends RecordSource>(
  table: T,
  ...rows: readonly Insertable<StateTables[T]>[]
) => Promise<void>;

type Value = string | number | null;
type Insert = (row: Readonly<Record<string, unknown>>) => Columns | undefined;

/** Writes the tables of the record. A turn has dozens of rows, so each statement is prepared once and runs without waiting. */
export class Recorder {
  private readonly inserts = new Map<RecordSource, Insert>();
  private readonly ledger: Ledger;

  /** @param connection to a file that has the tables */
  constructor(private readonly connection: Connection) {
    this.ledger = new Ledger(connection);
  }

  /** To be called in a transaction. Rows whose key is there already stay as they are. */
  append<T extends RecordSource>(source: T, rows: readonly Insertable<StateTables[T]>[]): void {
    const insert = this.inserts.get(source) ?? insertInto(this.connection, source);
    this.inserts.set(source, insert);
    const stored = rows.map((row) => insert(row)).filter((columns) => columns !== undefined);
    this.ledger.enter(stored.map((columns) => ({ source, columns })));
  }
}

/**
 * Answers with the row as it is stored; with nothing when its key was there. To have SQLite return the row takes as long as
 * to store it, and it says nothing new: a number that SQLite gave it, and the texts in UTF-8.
 */
function insertInto(connection: Connection, source: RecordSource): Insert {
  const all = connection
    .prepare<[string], string>('select name from pragma_table_info(?)')
    .pluck()
    .all(inFile(source));
  const isNumbered = all.includes('seq');
  const names = all.filter((name) => name !== 'seq');
  const statement = connection.prepare(
    `insert into ${inFile(source)} (${names.join()}) values (${names.map(() => '?').join()})
      on conflict do nothing`,
  );
  const fields = names.map(inRow);
  return (row) => {
    const columns: Record<string, Value> = {};
    for (const field of fields) columns[field] = inUtf8((row[field] ?? null) as Value);
    const { changes, lastInsertRowid } = statement.run(...Object.values(columns));
    if (changes === 0) return undefined;
    if (isNumbered) columns['seq'] = Number(lastInsertRowid);
    return columns;
  };
}

/** Half a surrogate pair has no UTF-8. */
function inUtf8(value: Value): Value {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** In snake case, as `stateDb` makes of it. */
function inFile(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function inRow(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
