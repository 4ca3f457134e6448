import type { Database as Connection } from 'better-sqlite3';
import type {
  DecisionRow,
  Delivery,
  DeliveryEnd,
  Inbox,
  NewDelivery,
} from '../../../domain/forge/delivery.js';

/** How long a body is known as a duplicate. */
export const DUPLICATES_KNOWN_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * A label taken off and put on again within a second of the forge's clock makes two bodies that are equal. When the first
 * has been dispatched the second is no duplicate, and at worst the forge is read once more.
 */
export const SAME_SECOND_MS = 2_000;

export type AcceptVerdict = 'accepted' | 'duplicate';

export interface DeliveryTable extends Omit<Inbox, 'accept' | 'close'> {
  /** Inside the caller's transaction. */
  insert(delivery: NewDelivery): AcceptVerdict;
}

const COLUMNS =
  'seq, lower(hex(body_hash)) AS bodyHash, event_type AS eventType, received_at AS receivedAt, order_key AS orderKey, hint, traceparent, attempts';

/** Nothing is put back for longer, milliseconds: a later time was noted before the clock was set back. */
const FARTHEST_MS = 5 * 60_000;

const DUE = `
SELECT ${COLUMNS}
FROM delivery AS head
WHERE completed_at IS NULL AND (due_at <= @now OR due_at > @now + ${String(FARTHEST_MS)})
  AND NOT EXISTS (
    SELECT 1 FROM delivery AS earlier
    WHERE earlier.completed_at IS NULL AND earlier.order_key = head.order_key AND earlier.seq < head.seq)
ORDER BY seq LIMIT @limit`;

/** The statements behind the inbox. Of a completed delivery only the hash is needed any longer, which makes it known. */
export function createDeliveryTable(connection: Connection): DeliveryTable {
  const insert = connection.prepare<
    [Omit<Delivery, 'seq' | 'bodyHash' | 'attempts'> & { readonly hash: Buffer }]
  >(`
    INSERT INTO delivery (body_hash, event_type, received_at, order_key, hint, traceparent)
    SELECT @hash, @eventType, @receivedAt, @orderKey, @hint, @traceparent
    WHERE NOT EXISTS (SELECT 1 FROM known WHERE body_hash = @hash)
    ON CONFLICT (body_hash) DO NOTHING`);
  const forget = connection.prepare<[Buffer, number, number]>(
    'DELETE FROM known WHERE body_hash = ? AND (received_at < ? OR received_at > ?)',
  );
  const due = connection.prepare<[{ readonly now: number; readonly limit: number }], Delivery>(DUE);
  const waiting = connection.prepare<[string, number], Delivery>(
    `SELECT ${COLUMNS} FROM delivery WHERE completed_at IS NULL AND order_key = ? ORDER BY seq LIMIT ?`,
  );
  const know = connection.prepare<[number]>(
    'INSERT OR REPLACE INTO known SELECT body_hash, received_at FROM delivery WHERE seq = ?',
  );
  const remove = connection.prepare<[number]>('DELETE FROM delivery WHERE seq = ?');
  const decide = connection.prepare<[number, string, string, number]>(`
    INSERT INTO decision (at, order_key, event_type, body_hash, outcome, detail)
    SELECT ?, order_key, event_type, body_hash, ?, ? FROM delivery WHERE seq = ?`);
  const completeAll = connection.transaction((ends: readonly DeliveryEnd[], now: number) => {
    for (const { seq, outcome, detail } of ends) {
      // Gone: completed before.
      if (know.run(seq).changes === 0) continue;
      decide.run(now, outcome, detail, seq);
      remove.run(seq);
    }
  });
  const decisions = connection.prepare<[number], DecisionRow>(`
    SELECT at, order_key AS orderKey, event_type AS eventType, lower(hex(body_hash)) AS bodyHash, outcome, detail
    FROM decision ORDER BY seq DESC LIMIT ?`);
  const hold = connection.prepare<[number, number]>(
    'UPDATE delivery SET due_at = ? WHERE seq = ? AND completed_at IS NULL',
  );
  const retry = connection.prepare<[number, string, number]>(
    'UPDATE delivery SET due_at = ?, last_error = ?, attempts = attempts + 1 WHERE seq = ? AND completed_at IS NULL',
  );
  const openStats = connection.prepare<[], { open: number; oldestOpenAt: number | null }>(
    'SELECT count(*) AS open, min(received_at) AS oldestOpenAt FROM delivery WHERE completed_at IS NULL',
  );
  const total = connection.prepare<[], { total: number }>(
    'SELECT (SELECT count(*) FROM delivery) + (SELECT count(*) FROM known) AS total',
  );
  const prune = connection.prepare<[number]>('DELETE FROM known WHERE received_at < ?');
  const probe = connection.prepare<[]>('UPDATE probe SET count = count + 1');

  return {
    insert: (delivery) => {
      const { eventType, receivedAt, orderKey, hint, traceparent = null } = delivery;
      const hash = Buffer.from(delivery.bodyHash, 'hex');
      const store = (): boolean =>
        insert.run({ hash, eventType, receivedAt, orderKey, hint, traceparent }).changes > 0;
      if (store()) return 'accepted';
      // Known for longer than duplicates are known and not yet pruned, or the same once more within a moment?
      const [old, recent] = [receivedAt - DUPLICATES_KNOWN_MS, receivedAt - SAME_SECOND_MS];
      if (forget.run(hash, old, recent).changes === 0) return 'duplicate';
      store();
      return 'accepted';
    },
    due: (now, limit) => due.all({ now, limit }),
    waiting: (orderKey, limit) => waiting.all(orderKey, limit),
    complete: (ends, now) => {
      completeAll.immediate(ends, now);
    },
    holdUntil: (seq, dueAt) => void hold.run(dueAt, seq),
    decisions: (limit) => decisions.all(limit),
    retryAt: (seq, dueAt, error) => void retry.run(dueAt, error, seq),
    stats: () => ({
      ...(openStats.get() ?? { open: 0, oldestOpenAt: null }),
      total: total.get()?.total ?? 0,
    }),
    prune: (now) => prune.run(now - DUPLICATES_KNOWN_MS).changes,
    probe: () => void probe.run(),
  };
}
