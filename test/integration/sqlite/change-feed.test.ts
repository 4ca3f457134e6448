import assert from 'node:assert/strict';
import type { FeedPlace } from '../../../src/domain/run/change-feed.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useDatabase } from '../../support/webhook/use-database.js';

const NOON = Date.parse('2026-11-27T12:00:00.000Z');
const HOUR = 3_600_000;

describe('changes of all runs in SQLite', () => {
  const database = useDatabase();
  const write = (phase: string, updatedAt: number): Promise<void> =>
    database().forgeState.upsert(stateRow({ phase, updatedAt }));
  const told = async (place: FeedPlace, now: number): Promise<{ phases: string[]; next: FeedPlace }> => {
    const { changes, place: next } = await database().changes.since(place, now);
    return { phases: changes.flatMap((change) => (change.kind === 'run' ? [change.phase] : [])), next };
  };

  it('are told at once after the clock was set back, and the feed does not run in circles', async () => {
    await write('running', NOON);
    const latest = await database().changes.latest();
    const back = NOON - HOUR;
    const quiet = await told(latest, back);
    assert.deepEqual(quiet.phases, []);
    assert.ok(quiet.next.at <= back);
    await write('frozen', back + 10);
    const changed = await told(quiet.next, back + 500);
    assert.deepEqual(changed.phases, ['frozen']);
    const again = await told(changed.next, back + 1_000);
    assert.deepEqual(again.next, changed.next, 'nothing more to read');
  });

  it('are told of a time that has not come when it has come', async () => {
    await write('running', NOON + HOUR);
    const before = await told({ seq: 0, at: 0 }, NOON);
    assert.deepEqual([before.phases, before.next.at], [[], 0]);
    assert.deepEqual((await told(before.next, NOON + HOUR)).phases, ['running']);
  });
});
