import type { Migration } from './migrate.js';

/** Version 1: the prototype's table, exactly the columns of its design [S0]. */
const PROTOTYPE_TABLE = `
CREATE TABLE forge_state (
  forge          TEXT NOT NULL,
  owner          TEXT NOT NULL,
  repo           TEXT NOT NULL,
  issue_number   INTEGER NOT NULL,
  slug           TEXT NOT NULL,
  agent_name     TEXT NOT NULL,
  bottle_names   TEXT NOT NULL,
  backend_name   TEXT NOT NULL,
  agent_git_user TEXT NOT NULL,
  pr_number      INTEGER,
  status         TEXT NOT NULL CHECK (status IN ('running', 'frozen', 'destroyed')),
  last_checkin_at INTEGER,
  PRIMARY KEY (forge, owner, repo, issue_number)
);`;

/** Version 2: phase and reason beside the status, and the append-only rows that provenance is made of. */
const RUNS = `
ALTER TABLE forge_state ADD COLUMN phase TEXT NOT NULL DEFAULT '';
ALTER TABLE forge_state ADD COLUMN reason TEXT;
ALTER TABLE forge_state ADD COLUMN repo_id INTEGER;
ALTER TABLE forge_state ADD COLUMN host TEXT;
ALTER TABLE forge_state ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE forge_state ADD COLUMN issue_url TEXT NOT NULL DEFAULT '';
ALTER TABLE forge_state ADD COLUMN pr_url TEXT;
ALTER TABLE forge_state ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forge_state ADD COLUMN destroyed_at INTEGER;
UPDATE forge_state SET phase = status, updated_at = coalesce(last_checkin_at, 0);
UPDATE forge_state SET destroyed_at = coalesce(last_checkin_at, 0) WHERE status = 'destroyed';

CREATE TABLE run (
  slug          TEXT NOT NULL PRIMARY KEY,
  workflow_id   TEXT NOT NULL,
  subject       TEXT NOT NULL,
  agent_name    TEXT NOT NULL,
  bottle_names  TEXT NOT NULL,
  trigger_actor TEXT NOT NULL,
  trigger_at    INTEGER NOT NULL,
  created_at    INTEGER NOT NULL
);
CREATE TABLE turn (
  slug   TEXT NOT NULL,
  turn   INTEGER NOT NULL,
  event  TEXT NOT NULL CHECK (event IN ('begun', 'ended')),
  at     INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (slug, turn, event)
);
CREATE TABLE operation (
  seq       INTEGER PRIMARY KEY,
  slug      TEXT NOT NULL,
  turn      INTEGER NOT NULL,
  id        TEXT NOT NULL,
  at        INTEGER NOT NULL,
  operation TEXT NOT NULL,
  target    TEXT NOT NULL,
  outcome   TEXT NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  text      TEXT NOT NULL,
  UNIQUE (slug, id)
);
${appendOnly('run')}${appendOnly('turn')}${appendOnly('operation')}`;

/**
 * Version 5: one entry a session of a run, made from the rows of its turns; and the way to what was spent since a time.
 * Tokens and `micro_usd` are metered, `reported_…` is the agent's own word.
 */
const SESSIONS = `
CREATE TABLE session (
  slug                   TEXT NOT NULL,
  session_id             TEXT NOT NULL,
  provider               TEXT,
  provider_version       TEXT,
  agent                  TEXT NOT NULL,
  cwd                    TEXT NOT NULL,
  first_turn             INTEGER NOT NULL,
  last_turn              INTEGER NOT NULL,
  turns                  INTEGER NOT NULL,
  input_tokens           INTEGER NOT NULL,
  cached_tokens          INTEGER NOT NULL,
  output_tokens          INTEGER NOT NULL,
  micro_usd              INTEGER NOT NULL,
  reported_input_tokens  INTEGER NOT NULL,
  reported_cached_tokens INTEGER NOT NULL,
  reported_output_tokens INTEGER NOT NULL,
  reported_usd           REAL,
  updated_at             INTEGER NOT NULL,
  ended_reason           TEXT CHECK (ended_reason IN ('rotated', 'lost')),
  PRIMARY KEY (slug, session_id)
);
CREATE INDEX turn_ended ON turn (at) WHERE event = 'ended';`;

/** Version 6: what operators did. */
const OPERATOR_COMMANDS = `
CREATE TABLE operator_command (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  at          INTEGER NOT NULL,
  who         TEXT NOT NULL,
  kind        TEXT NOT NULL,
  detail      TEXT NOT NULL,
  slug        TEXT,
  workflow_id TEXT NOT NULL
);
CREATE INDEX operator_command_by_slug ON operator_command (slug, seq);
${appendOnly('operator_command')}`;

/** Version 7: what holds new turns back. */
const PAUSES = `
CREATE TABLE pause (
  scope TEXT NOT NULL PRIMARY KEY,
  since INTEGER NOT NULL,
  who   TEXT NOT NULL
);`;

/** Schema of `bot-bottle.db`. */
export const STATE_MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: PROTOTYPE_TABLE },
  { version: 2, sql: RUNS },
  { version: 3, sql: 'ALTER TABLE run ADD COLUMN trigger_act_id INTEGER NOT NULL DEFAULT 0;' },
  // Not unique: version 1 did not promise it.
  { version: 4, sql: 'CREATE INDEX forge_state_by_slug ON forge_state (slug);' },
  { version: 5, sql: SESSIONS },
  { version: 6, sql: OPERATOR_COMMANDS },
  { version: 7, sql: PAUSES },
  { version: 8, sql: 'ALTER TABLE forge_state ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;' },
];

/** Schema of `inbox.db`, a file of its own: only the webhook process writes it. */
export const INBOX_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE delivery (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  body_hash    BLOB NOT NULL UNIQUE,
  event_type   TEXT NOT NULL,
  received_at  INTEGER NOT NULL,
  order_key    TEXT NOT NULL,
  body         TEXT NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  due_at       INTEGER NOT NULL DEFAULT 0,
  last_error   TEXT,
  completed_at INTEGER,
  outcome      TEXT
);
CREATE INDEX delivery_open ON delivery (seq, due_at) WHERE completed_at IS NULL;
CREATE INDEX delivery_open_by_key ON delivery (order_key, seq) WHERE completed_at IS NULL;
CREATE INDEX delivery_completed ON delivery (received_at) WHERE completed_at IS NOT NULL;
CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
INSERT INTO probe VALUES (1, 0);`,
  },
  {
    version: 2,
    sql: `
CREATE TABLE decision (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  order_key  TEXT NOT NULL,
  event_type TEXT NOT NULL,
  body_hash  BLOB NOT NULL,
  outcome    TEXT NOT NULL,
  detail     TEXT NOT NULL
);
CREATE INDEX decision_by_key ON decision (order_key, seq);
${appendOnly('decision')}`,
  },
  {
    // What is done keeps nothing but its hash: an emptied row still holds the place that its body took in the page.
    version: 3,
    sql: `
CREATE TABLE known (
  body_hash   BLOB NOT NULL PRIMARY KEY,
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO known SELECT body_hash, received_at FROM delivery WHERE completed_at IS NOT NULL;
DROP INDEX delivery_completed;
DELETE FROM delivery WHERE completed_at IS NOT NULL;`,
  },
  { version: 4, sql: 'ALTER TABLE delivery ADD COLUMN traceparent TEXT;' },
  { version: 5, sql: 'ALTER TABLE delivery RENAME COLUMN body TO hint;' },
];

/** Schema of `rejections.db`. */
export const REJECTION_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE rejection (
  seq     INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  at      INTEGER NOT NULL,
  reason  TEXT NOT NULL,
  UNIQUE (subject, at, reason)
);
`,
  },
];

function appendOnly(table: string): string {
  const trigger = (verb: 'UPDATE' | 'DELETE'): string =>
    `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} ` +
    `BEGIN SELECT RAISE(ABORT, 'table ${table} is append-only'); END;\n`;
  return trigger('UPDATE') + trigger('DELETE');
}
