import type { Insertable, InsertResult } from 'kysely';
import type { StateDb, StateTables } from './state-tables.js';

type Table = Exclude<
  keyof StateTables,
  'session' | 'proposalWaiting' | 'frozenRun' | 'provenanceEntry' | 'provenanceSeal'
>;
type Columns<T extends Table> = Readonly<Record<Exclude<keyof StateTables[T], 'seq'>, true>>;

const COLUMNS: { readonly [T in Table]: Columns<T> } = {
  forgeState: {
    ...{ forge: true, owner: true, repo: true, issueNumber: true, slug: true, workflowId: true, epoch: true },
    ...{ agentName: true, bottleNames: true, backendName: true, agentGitUser: true, prNumber: true },
    ...{ status: true, lastCheckinAt: true, phase: true, reason: true, repoId: true, host: true },
    ...{ branch: true, issueUrl: true, prUrl: true, updatedAt: true, destroyedAt: true },
  },
  run: {
    ...{ slug: true, workflowId: true, subject: true, agentName: true, bottleNames: true },
    ...{ triggerActor: true, triggerAt: true, triggerActId: true, createdAt: true },
  },
  turn: { slug: true, turn: true, event: true, at: true, detail: true },
  operation: {
    ...{
      slug: true,
      turn: true,
      id: true,
      at: true,
      operation: true,
      target: true,
      outcome: true,
      text: true,
    },
  },
  operatorCommand: {
    ...{ id: true, at: true, who: true, kind: true, detail: true, slug: true, workflowId: true },
  },
  pause: { scope: true, since: true, who: true },
  proposal: {
    slug: true,
    id: true,
    workflowId: true,
    tool: true,
    turn: true,
    at: true,
    ref: true,
    origin: true,
  },
  proposalDecision: { slug: true, id: true, status: true, who: true, at: true, ref: true, notesRef: true },
  notice: { id: true, hook: true, state: true, tries: true, firstAt: true, dueAt: true },
};

/** Without the number that a table gives its rows. */
export function columnNames(table: Table): readonly string[] {
  return Object.keys(COLUMNS[table]);
}

/** A row without what its table has no column for: a value may have more fields than its type says. */
export function columnsOf<Row extends object>(table: Table, row: Row): Row {
  const known: object = COLUMNS[table];
  return Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(known, name))) as Row;
}

/** Rows whose key is there already stay as they are. */
export async function insertNew<T extends Table>(
  db: StateDb,
  table: T,
  ...rows: readonly Insertable<StateTables[T]>[]
): Promise<InsertResult | undefined> {
  const [result] = await db
    .insertInto<Table>(table)
    .values(rows.map((row) => columnsOf(table, row)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return result;
}
