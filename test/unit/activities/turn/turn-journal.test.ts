import assert from 'node:assert/strict';
import { blankTurnRecord, COALESCE_MS, TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import type { RunFiles, TurnRecord } from '../../../../src/domain/run/run-files.js';

const SLUG = 'coder-alice-demo-12-abc12';

describe('what is known of a turn', () => {
  let now: number;
  /** As the disk has it. */
  let written: TurnRecord[];
  let isFull: boolean;
  let known: TurnRecord | undefined;
  beforeEach(() => {
    [now, written, isFull, known] = [1_000_000, [], false, undefined];
  });

  const files = {
    readTurn: (_slug: string, turn: number) => Promise.resolve(known?.turn === turn ? known : undefined),
    writeTurn: async (_slug: string, record: TurnRecord) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (isFull) throw new Error('no space');
      written.push(record);
    },
  } as unknown as RunFiles;
  const open = (): Promise<TurnJournal> => TurnJournal.open(files, SLUG, 2, { now: () => now });
  /** Whatever was begun to be written is. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('is nothing at first, and what an earlier watcher wrote otherwise', async () => {
    const fresh = await open();
    assert.deepEqual([fresh.record, fresh.resumed], [blankTurnRecord(2), false]);
    known = { ...blankTurnRecord(2), sessionId: 's' };
    const later = await open();
    assert.deepEqual([later.record, later.resumed], [known, true]);
  });

  it('is on disk when it was decided', async () => {
    const journal = await open();
    await journal.decide({ stopped: 'disk' });
    await journal.decide({ stopDetail: 'too much' });
    assert.deepEqual(
      written.map(({ stopped, stopDetail }) => [stopped, stopDetail]),
      [
        ['disk', null],
        ['disk', 'too much'],
      ],
    );
  });

  it('is known at once and written seldom where it was only observed', async () => {
    const journal = await open();
    await journal.decide({});
    now += COALESCE_MS - 1;
    journal.observe({ sessionId: 'one' });
    await settled();
    assert.deepEqual([journal.record.sessionId, written.length], ['one', 1]);
    now += 1;
    journal.observe({ heldMs: 5 });
    await settled();
    assert.deepEqual([written.length, written[1]?.sessionId, written[1]?.heldMs], [2, 'one', 5]);
  });

  it('is written, and has signs of life, after the clock was set back, too', async () => {
    const journal = await open();
    journal.checkIn();
    await settled();
    now -= 3_600_000;
    journal.checkIn();
    await settled();
    assert.deepEqual(
      written.map(({ lastCheckinAt }) => lastCheckinAt),
      [now + 3_600_000, now],
    );
  });

  it('has the latest sign of life, never an earlier one', async () => {
    const journal = await open();
    journal.checkIn();
    assert.equal(journal.record.lastCheckinAt, now);
    journal.checkIn(now - 5);
    assert.equal(journal.record.lastCheckinAt, now);
    const before = written.length;
    await settled();
    now += COALESCE_MS;
    journal.checkIn(now - COALESCE_MS);
    await settled();
    assert.equal(written.length, before + 1, 'the same time is no news');
  });

  it('is written whole, in order, after a fault of the disk, too', async () => {
    const journal = await open();
    isFull = true;
    await assert.rejects(journal.decide({ sessionId: 'one' }), /no space/);
    now += COALESCE_MS;
    journal.observe({ heldMs: 1 });
    await settled();
    isFull = false;
    await Promise.all([journal.decide({ heldMs: 2 }), journal.decide({ stopped: 'timeout' })]);
    const last = written.at(-1);
    assert.deepEqual(
      [last?.sessionId, last?.heldMs, last?.stopped, written.length],
      ['one', 2, 'timeout', 2],
    );
  });
});
