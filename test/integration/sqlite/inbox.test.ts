import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { DUPLICATES_KNOWN_MS } from '../../../src/adapters/sqlite/inbox/delivery-table.js';
import { openInbox } from '../../../src/adapters/sqlite/inbox/open-inbox.js';
import { INBOX_MIGRATIONS } from '../../../src/adapters/sqlite/schema.js';
import { StoreError } from '../../../src/adapters/sqlite/store-error.js';
import type { Inbox, NewDelivery } from '../../../src/domain/forge/delivery.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const delivery = (name: string, changes: Partial<NewDelivery> = {}): NewDelivery => ({
  bodyHash: Buffer.from(name).toString('hex'),
  eventType: 'issues',
  receivedAt: 1000,
  orderKey: 'gitea:alice/demo#1',
  hint: `{"name":"${name}"}`,
  ...changes,
});

/** Frames of a write-ahead log that end a transaction: their header holds the database's size (SQLite file format, 4.1). */
function commitsIn(walFile: string): number {
  const wal = readFileSync(walFile);
  const frameBytes = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at < wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) !== 0) commits += 1;
  return commits;
}

describe('the inbox', () => {
  const path = useTempDir();
  let count = 0;
  let file: string;
  let inbox: Inbox;
  const dueNames = (now: number, limit = 10): string[] =>
    inbox.due(now, limit).map((item) => Buffer.from(item.bodyHash, 'hex').toString());

  beforeEach(() => {
    file = path(`inbox-${String((count += 1))}.db`);
    inbox = openInbox(file);
  });
  afterEach(() => {
    inbox.close();
  });

  it('gives an accepted delivery back whole', async () => {
    assert.equal(await inbox.accept(delivery('a')), 'accepted');
    assert.deepEqual(inbox.due(2000, 1), [{ ...delivery('a'), traceparent: null, seq: 1, attempts: 0 }]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('keeps the trace that a delivery began, for whoever dispatches it', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await inbox.accept(delivery('a', { traceparent }));
    await inbox.accept(delivery('b'));
    inbox.close();
    inbox = openInbox(file);
    const kept = inbox.waiting('gitea:alice/demo#1', 10).map((one) => one.traceparent);
    assert.deepEqual(kept, [traceparent, null]);
  });

  it('commits once for all that is accepted in one turn of the event loop', async () => {
    const before = commitsIn(`${file}-wal`);
    const verdicts = await Promise.all(['a', 'b', 'c', 'a'].map((name) => inbox.accept(delivery(name))));
    assert.deepEqual(verdicts, ['accepted', 'accepted', 'accepted', 'duplicate']);
    assert.equal(commitsIn(`${file}-wal`), before + 1);
    await inbox.accept(delivery('d'));
    assert.equal(commitsIn(`${file}-wal`), before + 2);
  });

  it('has committed when the promise resolves', async () => {
    const other = new SqliteDatabase(file, { readonly: true });
    const rows = (): unknown => other.prepare('SELECT count(*) AS n FROM delivery').get();
    const accepting = inbox.accept(delivery('a'));
    assert.deepEqual(rows(), { n: 0 });
    await accepting;
    assert.deepEqual(rows(), { n: 1 });
    other.close();
  });

  it('rejects everything of a commit that fails, and takes it when there is room again', async () => {
    inbox.close();
    inbox = openInbox(file, { maxBytes: 200_000 });
    const huge = delivery('huge', { hint: 'x'.repeat(300_000) });
    const results = await Promise.allSettled([inbox.accept(delivery('a')), inbox.accept(huge)]);
    for (const result of results) {
      assert.equal(result.status, 'rejected');
      assert.ok(result.reason instanceof StoreError && result.reason.retryable, 'a retryable StoreError');
      assert.match(result.reason.message, /full.*free disk space/);
    }
    assert.deepEqual(inbox.stats(), { open: 0, oldestOpenAt: null, total: 0 });
    assert.equal(await inbox.accept(delivery('a')), 'accepted');
  });

  it('knows a body for 90 days after it came, open or done', async () => {
    await inbox.accept(delivery('a', { receivedAt: 5 }));
    assert.equal(await inbox.accept(delivery('a', { receivedAt: 6 })), 'duplicate');
    inbox.complete([{ seq: 1, outcome: 'signalled', detail: '' }], 7);
    assert.equal(await inbox.accept(delivery('a', { receivedAt: 5 + DUPLICATES_KNOWN_MS })), 'duplicate');
    assert.equal(await inbox.accept(delivery('a', { receivedAt: 6 + DUPLICATES_KNOWN_MS })), 'accepted');
    assert.equal(inbox.stats().open, 1);
  });

  it('takes the same body again within two seconds, once the first is dispatched: a label off and on again', async () => {
    const at = 1_000_000;
    await inbox.accept(delivery('a', { receivedAt: at }));
    assert.equal(
      await inbox.accept(delivery('a', { receivedAt: at + 500 })),
      'duplicate',
      'one read answers both',
    );
    inbox.complete([{ seq: 1, outcome: 'started', detail: '' }], at + 600);
    assert.equal(await inbox.accept(delivery('a', { receivedAt: at + 900 })), 'accepted');
    const [again] = inbox.due(at + 900, 1);
    inbox.complete([{ seq: again?.seq ?? 0, outcome: 'covered', detail: '' }], at + 1_000);
    assert.equal(await inbox.accept(delivery('a', { receivedAt: at + 5_000 })), 'duplicate');
    assert.deepEqual(
      inbox.decisions(5).map(({ outcome }) => outcome),
      ['covered', 'started'],
      'what was decided stays on record',
    );
  });

  it('holds later deliveries of a key back while an earlier one waits, and no others', async () => {
    for (const name of ['a1', 'a2']) await inbox.accept(delivery(name, { orderKey: 'a' }));
    await inbox.accept(delivery('b1', { orderKey: 'b' }));
    assert.deepEqual(dueNames(0), ['a1', 'b1']);
    inbox.retryAt(1, 5000, 'forge away');
    assert.deepEqual(dueNames(4999), ['b1']);
    assert.deepEqual(dueNames(5000), ['a1', 'b1']);
    assert.equal(inbox.due(5000, 1)[0]?.attempts, 1);
    inbox.complete([{ seq: 1, outcome: 'signalled', detail: '' }], 5001);
    assert.deepEqual(dueNames(5001), ['a2', 'b1']);
    assert.deepEqual(dueNames(5001, 1), ['a2']);
  });

  it('has a delivery due whose time a clock set back since makes far', async () => {
    const at = 10_000_000;
    await inbox.accept(delivery('a'));
    inbox.retryAt(1, at + 60_000, 'forge away');
    assert.deepEqual(dueNames(at), []);
    assert.deepEqual(dueNames(at - 3_600_000), ['a']);
  });

  it('refuses a hash that is none, alone', async () => {
    const bad = inbox.accept(delivery('a', { bodyHash: 'nothex' }));
    const good = inbox.accept(delivery('b'));
    await assert.rejects(bad, /not hex/);
    assert.equal(await good, 'accepted');
  });

  it('keeps a completed delivery completed', async () => {
    await inbox.accept(delivery('a'));
    inbox.complete([{ seq: 1, outcome: 'signalled', detail: '' }], 1);
    inbox.retryAt(1, 0, 'late');
    assert.deepEqual(dueNames(9), []);
  });

  it('keeps no more of what is done than its hash, and in no more than an eighth of the place', async () => {
    const other = new SqliteDatabase(file, { readonly: true });
    const used = (): number =>
      ['page_count', 'freelist_count']
        .map((name) => other.pragma(name, { simple: true }) as number)
        .reduce((pages, free) => pages - free);
    const empty = used();
    const names = Array.from({ length: 400 }, (_value, at) => `d${String(at)}`);
    await Promise.all(names.map((name) => inbox.accept(delivery(name, { hint: 'x'.repeat(800) }))));
    const full = used();
    const ends = names.map((_name, at) => ({ seq: at + 1, outcome: 'signalled', detail: '' }));
    inbox.complete(ends, 1);
    assert.deepEqual(other.prepare('SELECT count(*) AS rows FROM delivery').get(), { rows: 0 });
    // What was decided is kept on purpose.
    const decided = other
      .prepare('SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE ?')
      .get('decision%');
    const pages = (decided as { readonly bytes: number }).bytes / 1024;
    assert.ok(
      (used() - empty - pages) * 8 < full - empty,
      `${String(full - empty)} pages became ${String(used() - empty - pages)}`,
    );
    assert.equal(await inbox.accept(delivery('d7', { receivedAt: 10_000 })), 'duplicate');
    other.close();
  });

  it('lets nobody change or remove what was decided', async () => {
    await inbox.accept(delivery('a'));
    inbox.complete([{ seq: 1, outcome: 'applied', detail: '' }], 2000);
    const raw = new SqliteDatabase(file);
    try {
      assert.throws(() => raw.exec("UPDATE decision SET outcome = 'x'"), /append-only/);
      assert.throws(() => raw.exec('DELETE FROM decision'), /append-only/);
    } finally {
      raw.close();
    }
    assert.deepEqual(
      inbox.decisions(10).map(({ outcome }) => outcome),
      ['applied'],
    );
  });

  it('takes over what an older version had done, as known', async () => {
    const old = join(dirname(file), 'older.db');
    const before = new SqliteDatabase(old);
    for (const { sql } of INBOX_MIGRATIONS.slice(0, 2)) before.exec(sql);
    before.pragma('user_version = 2');
    const insert = before.prepare(
      "INSERT INTO delivery (body_hash, event_type, received_at, order_key, body, completed_at) VALUES (?, 'issues', 1000, 'k', '', ?)",
    );
    for (const [name, completedAt] of [
      ['done', 1500],
      ['open', null],
    ] as const)
      insert.run(Buffer.from(delivery(name).bodyHash, 'hex'), completedAt);
    before.close();
    const taken = openInbox(old);
    try {
      assert.equal(await taken.accept(delivery('done', { receivedAt: 10_000 })), 'duplicate');
      assert.equal(await taken.accept(delivery('open')), 'duplicate');
      assert.deepEqual(taken.stats(), { open: 1, oldestOpenAt: 1000, total: 2 });
    } finally {
      taken.close();
    }
  });

  it('counts what is open and since when', async () => {
    await inbox.accept(delivery('a', { receivedAt: 10 }));
    await inbox.accept(delivery('b', { receivedAt: 20 }));
    assert.deepEqual(inbox.stats(), { open: 2, oldestOpenAt: 10, total: 2 });
    inbox.complete([{ seq: 1, outcome: 'signalled', detail: '' }], 30);
    assert.deepEqual(inbox.stats(), { open: 1, oldestOpenAt: 20, total: 2 });
  });

  it('forgets what was completed 90 days ago, and never an open one', async () => {
    await inbox.accept(delivery('done', { receivedAt: 10 }));
    await inbox.accept(delivery('open', { receivedAt: 10, orderKey: 'other' }));
    inbox.complete([{ seq: 1, outcome: 'signalled', detail: '' }], 11);
    assert.equal(inbox.prune(10 + DUPLICATES_KNOWN_MS), 0);
    assert.equal(inbox.prune(11 + DUPLICATES_KNOWN_MS), 1);
    assert.deepEqual(inbox.stats(), { open: 1, oldestOpenAt: 10, total: 1 });
  });

  it('keeps everything for the next instance, and writes what waits when it is closed', async () => {
    const accepting = inbox.accept(delivery('a'));
    inbox.close();
    assert.equal(await accepting, 'accepted');
    await assert.rejects(inbox.accept(delivery('late')), /closed/);
    inbox = openInbox(file);
    assert.deepEqual(dueNames(0), ['a']);
  });

  it('serves any mix of keys and failures completely, each key in its order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ key: fc.integer({ min: 0, max: 3 }), failures: fc.integer({ min: 0, max: 2 }) }),
          { maxLength: 12, size: 'max' },
        ),
        fc.integer({ min: 1, max: 4 }),
        async (plan, limit) => {
          const own = openInbox(path(`property-${String((count += 1))}.db`));
          await Promise.all(
            plan.map(({ key }, index) => own.accept(delivery(String(index), { orderKey: String(key) }))),
          );
          const served = new Map<string, number[]>();
          const failed = new Map<number, number>();
          for (let now = 0; own.stats().open > 0; now += 1) {
            assert.ok(now < 200, 'everything is served in the end');
            const heads = own.due(now, limit);
            assert.equal(new Set(heads.map((head) => head.orderKey)).size, heads.length, 'one of each key');
            for (const head of heads) {
              const index = head.seq - 1;
              const times = failed.get(index) ?? 0;
              if (times < (plan[index]?.failures ?? 0)) {
                failed.set(index, times + 1);
                own.retryAt(head.seq, now + 3, 'away');
              } else {
                own.complete([{ seq: head.seq, outcome: 'signalled', detail: '' }], now);
                served.set(head.orderKey, [...(served.get(head.orderKey) ?? []), index]);
              }
            }
          }
          own.close();
          assert.equal([...served.values()].flat().length, plan.length);
          for (const order of served.values())
            assert.deepEqual(
              order,
              [...order].sort((a, b) => a - b),
            );
        },
      ),
      { numRuns: 40 },
    );
  });
});
