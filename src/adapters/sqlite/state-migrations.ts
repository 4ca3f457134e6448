import type { Database as Connection } from 'better-sqlite3';
import { sql, type ColumnDefinitionBuilder, type CreateIndexBuilder, type CreateTableBuilder } from 'kysely';
import { enterAll } from './record/ledger.js';
import { indexRunList } from './index-run-list.js';
import { letPrune } from './let-prune.js';
import type { StateDb } from './state-tables.js';

/** One step of the schema of `bot-bottle.db`: leads from version `version - 1` to `version`. Never edited once released. */
export interface StateMigration {
  readonly version: number;
  readonly up: (db: StateDb, connection: Connection) => Promise<void>;
}

export const STATE_MIGRATIONS: readonly StateMigration[] = [
  { version: 1, up: createTables },
  { version: 2, up: createProposals },
  { version: 3, up: createNotices },
  { version: 4, up: createProvenance },
  { version: 5, up: letPrune },
  { version: 6, up: indexRunList },
];

const APPEND_ONLY = ['run', 'turn', 'operation', 'operator_command'] as const;

/** Type of a column; with `?` it may be NULL. Times are epoch milliseconds, so integers have 64 bits. */
type ColumnType = 'text' | 'text?' | 'bigint' | 'bigint?' | 'double precision?';

async function createTables(db: StateDb): Promise<void> {
  // The prototype's columns [S0], then what is beside them.
  await table(db, 'forge_state', {
    forge: 'text',
    owner: 'text',
    repo: 'text',
    issue_number: 'bigint',
    slug: 'text',
    agent_name: 'text',
    bottle_names: 'text',
    backend_name: 'text',
    agent_git_user: 'text',
    pr_number: 'bigint?',
    status: 'text',
    last_checkin_at: 'bigint?',
    workflow_id: 'text',
    phase: 'text',
    reason: 'text?',
    repo_id: 'bigint?',
    host: 'text?',
    branch: 'text',
    issue_url: 'text',
    pr_url: 'text?',
    updated_at: 'bigint',
    destroyed_at: 'bigint?',
    epoch: 'bigint',
  })
    .addPrimaryKeyConstraint('forge_state_key', ['forge', 'owner', 'repo', 'issue_number'])
    .addCheckConstraint('forge_state_status', sql`status in ('running', 'frozen', 'destroyed')`)
    .execute();
  for (const columns of [
    ['slug'],
    ['workflow_id'],
    ['status', 'repo_id'],
    // All that a query names, or SQLite takes the key for its first column, which is the same in every row.
    ['forge', 'repo_id', 'issue_number'],
    ['forge', 'repo_id', 'pr_number'],
    ['forge', 'repo_id', 'branch'],
  ])
    await index(db, 'forge_state', columns).execute();
  // Rows without an id are few, and known by name.
  for (const column of ['pr_number', 'branch'])
    await index(db, 'forge_state', ['forge', 'owner', 'repo', column]).where('repo_id', 'is', null).execute();

  // The append-only rows that provenance is made of.
  await table(db, 'run', {
    slug: 'text',
    workflow_id: 'text',
    subject: 'text',
    agent_name: 'text',
    bottle_names: 'text',
    trigger_actor: 'text',
    trigger_at: 'bigint',
    trigger_act_id: 'bigint',
    created_at: 'bigint',
  })
    .addPrimaryKeyConstraint('run_key', ['slug'])
    .execute();
  await table(db, 'turn', { slug: 'text', turn: 'bigint', event: 'text', at: 'bigint', detail: 'text' })
    .addPrimaryKeyConstraint('turn_key', ['slug', 'turn', 'event'])
    .addCheckConstraint('turn_event', sql`event in ('begun', 'ended')`)
    .execute();
  // The way to what was spent since a time.
  await index(db, 'turn', ['event', 'at']).execute();
  await numberedTable(db, 'operation', {
    slug: 'text',
    turn: 'bigint',
    id: 'text',
    at: 'bigint',
    operation: 'text',
    target: 'text',
    outcome: 'text',
    text: 'text',
  })
    .addUniqueConstraint('operation_id', ['slug', 'id'])
    .addCheckConstraint('operation_outcome', sql`outcome in ('ok', 'refused', 'failed')`)
    .execute();

  // One entry a session of a run, made from the rows of its turns. Tokens and `micro_usd` are metered, `reported_…` is
  // the agent's own word.
  await table(db, 'session', {
    slug: 'text',
    session_id: 'text',
    provider: 'text?',
    provider_version: 'text?',
    agent: 'text',
    cwd: 'text',
    first_turn: 'bigint',
    last_turn: 'bigint',
    turns: 'bigint',
    input_tokens: 'bigint',
    cached_tokens: 'bigint',
    output_tokens: 'bigint',
    micro_usd: 'bigint',
    reported_input_tokens: 'bigint',
    reported_cached_tokens: 'bigint',
    reported_output_tokens: 'bigint',
    reported_usd: 'double precision?',
    updated_at: 'bigint',
    ended_reason: 'text?',
  })
    .addPrimaryKeyConstraint('session_key', ['slug', 'session_id'])
    .addCheckConstraint('session_ended', sql`ended_reason in ('rotated', 'lost')`)
    .execute();

  // What operators did.
  await numberedTable(db, 'operator_command', {
    id: 'text',
    at: 'bigint',
    who: 'text',
    kind: 'text',
    detail: 'text',
    slug: 'text?',
    workflow_id: 'text',
  })
    .addUniqueConstraint('operator_command_id', ['id'])
    .execute();
  await index(db, 'operator_command', ['slug', 'seq']).execute();

  // What holds new turns back.
  await table(db, 'pause', { scope: 'text', since: 'bigint', who: 'text' })
    .addPrimaryKeyConstraint('pause_key', ['scope'])
    .execute();

  for (const name of APPEND_ONLY) await keepAppendOnly(db, name);
}

/** What was proposed, and what came of it. */
async function createProposals(db: StateDb): Promise<void> {
  await numberedTable(db, 'proposal', {
    slug: 'text',
    id: 'text',
    workflow_id: 'text',
    tool: 'text',
    turn: 'bigint',
    at: 'bigint',
    ref: 'text',
    origin: 'text',
  })
    .addUniqueConstraint('proposal_key', ['slug', 'id'])
    .addCheckConstraint('proposal_origin', sql`origin in ('agent', 'refusal')`)
    .execute();
  // An id may be shortened.
  await index(db, 'proposal', ['id']).execute();
  await table(db, 'proposal_decision', {
    slug: 'text',
    id: 'text',
    status: 'text',
    who: 'text',
    at: 'bigint',
    ref: 'text?',
    notes_ref: 'text?',
  })
    .addPrimaryKeyConstraint('proposal_decision_key', ['slug', 'id'])
    .addCheckConstraint(
      'proposal_decision_status',
      sql`status in ('approved', 'modified', 'rejected', 'failed', 'cancelled')`,
    )
    .execute();
  await keepWaiting(db);
  for (const name of ['proposal', 'proposal_decision']) await keepAppendOnly(db, name);
}

/** What people were told of, and since when the runs that they may be told of are frozen. */
async function createNotices(db: StateDb): Promise<void> {
  await table(db, 'notice', {
    id: 'text',
    hook: 'text',
    state: 'text',
    tries: 'bigint',
    first_at: 'bigint',
    due_at: 'bigint',
  })
    .addPrimaryKeyConstraint('notice_key', ['hook', 'id'])
    .addCheckConstraint('notice_state', sql`state in ('told', 'failing', 'given_up')`)
    .execute();
  await table(db, 'frozen_run', { slug: 'text', reason: 'text?', since: 'bigint' })
    .addPrimaryKeyConstraint('frozen_run_key', ['slug'])
    .execute();
  // Rows of frozen runs are written again without a change, and moved when a repository is renamed: the first time counts.
  for (const verb of ['insert', 'update'])
    await sql`create trigger ${sql.id(`forge_state_frozen_${verb}`)} after ${sql.raw(verb)} on forge_state
      when new.status = 'frozen'
      begin insert into frozen_run values (new.slug, new.reason, new.updated_at)
        on conflict (slug) do update set reason = excluded.reason, since = excluded.since
          where reason is not excluded.reason; end`.execute(db);
  for (const verb of ['insert', 'update'])
    await sql`create trigger ${sql.id(`forge_state_thawed_${verb}`)} after ${sql.raw(verb)} on forge_state
      when new.status <> 'frozen'
      begin delete from frozen_run where slug = new.slug; end`.execute(db);
  await sql`insert into frozen_run
    select slug, reason, max(updated_at) from forge_state where status = 'frozen' group by slug`.execute(db);
}

/** A ledger of the append-only rows, and the seals of runs. Rows that are there already are entered in the order of their times. */
async function createProvenance(db: StateDb, connection: Connection): Promise<void> {
  await numberedTable(db, 'provenance_entry', {
    slug: 'text',
    n: 'bigint',
    source: 'text',
    key: 'text',
    digest: 'text',
    previous: 'text',
    hash: 'text',
  })
    // No index on source and key: a row is entered once because its own table takes its key once.
    .addUniqueConstraint('provenance_entry_place', ['slug', 'n'])
    .execute();
  await table(db, 'provenance_seal', {
    slug: 'text',
    n: 'bigint',
    at: 'bigint',
    reason: 'text',
    entries: 'bigint',
    key_id: 'text',
    envelope: 'text',
  })
    .addPrimaryKeyConstraint('provenance_seal_key', ['slug', 'n'])
    .execute();
  await enterAll(db, connection);
  for (const name of ['provenance_entry', 'provenance_seal']) await keepAppendOnly(db, name);
}

type Columns = Readonly<Record<string, ColumnType>>;
type TableBuilder = CreateTableBuilder<string, string>;
type IndexBuilder = CreateIndexBuilder<string>;

function table(db: StateDb, name: string, columns: Columns): TableBuilder {
  return withColumns(db.schema.createTable(name), columns);
}

/** SQLite numbers rows by an `integer` key alone. */
function numberedTable(db: StateDb, name: string, columns: Columns): TableBuilder {
  const numbered = db.schema.createTable(name).addColumn('seq', 'integer', (seq) => seq.primaryKey());
  return withColumns(numbered, columns);
}

function withColumns(table: TableBuilder, columns: Columns): TableBuilder {
  const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
  const optional = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column;
  return Object.entries(columns).reduce((builder, [name, type]) => {
    const mayBeNull = type.endsWith('?');
    const dataType = type.replace('?', '') as 'text' | 'bigint' | 'double precision';
    return builder.addColumn(name, dataType, mayBeNull ? optional : required);
  }, table);
}

function index(db: StateDb, on: string, columns: string[]): IndexBuilder {
  return db.schema
    .createIndex(`${on}_by_${columns.join('_')}`)
    .on(on)
    .columns(columns);
}

/** The proposals without a decision: rows are kept for good, and those that wait are asked for often. */
async function keepWaiting(db: StateDb): Promise<void> {
  await db.schema
    .createTable('proposal_waiting')
    .addColumn('seq', 'integer', (seq) => seq.primaryKey())
    .execute();
  await sql`create trigger proposal_waits after insert on proposal
    when not exists (select 1 from proposal_decision where slug = new.slug and id = new.id)
    begin insert into proposal_waiting values (new.seq); end`.execute(db);
  await sql`create trigger proposal_decided after insert on proposal_decision
    begin delete from proposal_waiting
      where seq = (select seq from proposal where slug = new.slug and id = new.id); end`.execute(db);
}

async function keepAppendOnly(db: StateDb, name: string): Promise<void> {
  for (const verb of ['update', 'delete'])
    await sql`create trigger ${sql.id(`${name}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.id(name)}
      begin select raise(abort, ${sql.lit(`table ${name} is append-only`)}); end`.execute(db);
}
