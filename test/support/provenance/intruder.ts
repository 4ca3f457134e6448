import SqliteDatabase from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';

/** Every table that `verify` answers for. */
export const TABLES = [
  ...['run', 'turn', 'operation', 'operator_command', 'proposal', 'proposal_decision'],
  ...['provenance_entry', 'provenance_seal'],
];

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>> & { readonly at_row: number };

/** Somebody who opens the database with another program, and is stopped by no trigger. */
export class Intruder {
  readonly connection: Connection;

  /** @param file of `bot-bottle.db` */
  constructor(file: string) {
    this.connection = new SqliteDatabase(file);
    this.connection.pragma('ignore_check_constraints = ON');
    const triggers = this.connection
      .prepare("select name from sqlite_master where type = 'trigger'")
      .pluck()
      .all();
    for (const name of triggers) this.connection.exec(`drop trigger "${String(name)}"`);
  }

  rowsOf(table: string): Row[] {
    return this.connection.prepare(`select rowid as at_row, * from ${table} order by rowid`).all() as Row[];
  }

  private set(table: string, { at_row }: Row, column: string, value: Value): void {
    this.connection.prepare(`update ${table} set ${column} = ? where rowid = ?`).run(value, at_row);
  }

  /**
   * Changes every column of every row, one after the other, and back. Answers how many there were, and the places that were
   * not found.
   *
   * @param isFound looks at what is stored now
   */
  async changeEach(isFound: () => Promise<boolean>): Promise<{ count: number; missed: string[] }> {
    let count = 0;
    const missed: string[] = [];
    for (const table of TABLES)
      for (const row of this.rowsOf(table))
        for (const [column, value] of Object.entries(row).filter(([name]) => name !== 'at_row')) {
          const other = typeof value === 'number' ? value + 100_000 : value === null ? 'x' : `${value}x`;
          this.set(table, row, column, other);
          count += 1;
          if (!(await isFound())) missed.push(`${table}.${column} of ${JSON.stringify(row)}`);
          // A row's own number is what it was found by.
          const now = column === 'seq' ? { ...row, at_row: Number(other) } : row;
          this.set(table, now, column, value);
        }
    return { count, missed };
  }

  close(): void {
    this.connection.close();
  }
}
