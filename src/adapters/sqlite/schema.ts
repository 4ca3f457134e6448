import type { Migration } from './migrate.js';

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
