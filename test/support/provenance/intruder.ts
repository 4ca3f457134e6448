import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import type { Database as Connection } from 'better-sqlite3';

/** Every table that `verify` answers for. */
export const TABLES = [
  ...['run', 'turn', 'operation', 'operator_command', 'proposal', 'proposal_decision'],
  ...['provenance_entry', 'provenance_seal'],
];

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>> & { readonly at_row: number };

interface Place {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  readonly value: Value;
}

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

  private placesIn(table: string): Place[] {
    return this.rowsOf(table).flatMap((row) =>
      Object.entries(row)
        .filter(([name]) => name !== 'at_row')
        .map(([column, value]) => ({ table, row, column, value })),
    );
  }

  /**
   * Changes every column of every row, one after the other, and back. Answers how many there were, and the places that were
   * not found.
   *
   * @param isFound looks at what is stored now
   */
  async changeEach(isFound: () => Promise<boolean>): Promise<{ count: number; missed: string[] }> {
    const places = TABLES.flatMap((table) => this.placesIn(table));
    return { count: places.length, missed: await this.missedOf(places, isFound) };
  }

  /** The same with the last column of the last row of each table, which must have one. Answers the places that were not found. */
  async changeOneOfEach(isFound: () => Promise<boolean>): Promise<string[]> {
    const places = TABLES.map((table) => this.placesIn(table).at(-1) ?? assert.fail(`nothing in ${table}`));
    return this.missedOf(places, isFound);
  }

  private async missedOf(places: readonly Place[], isFound: () => Promise<boolean>): Promise<string[]> {
    const missed: string[] = [];
    for (const { table, row, column, value } of places) {
      const other = typeof value === 'number' ? value + 100_000 : value === null ? 'x' : `${value}x`;
      this.set(table, row, column, other);
      if (!(await isFound())) missed.push(`${table}.${column} of ${JSON.stringify(row)}`);
      // A row's own number is what it was found by.
      const now = column === 'seq' ? { ...row, at_row: Number(other) } : row;
      this.set(table, now, column, value);
    }
    return missed;
  }

  close(): void {
    this.connection.close();
  }
}
