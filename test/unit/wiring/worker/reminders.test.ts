import assert from 'node:assert/strict';
import { Reminders } from '../../../../src/wiring/worker/reminders.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

describe('reminders', () => {
  it('come at once, soon again, and then every few hours', () => {
    const reminders = new Reminders();
    const times: number[] = [];
    for (let now = 0; now < DAY_MS; now += MINUTE_MS)
      if (reminders.due(['a'], now).length > 0) times.push(now / MINUTE_MS);
    assert.deepEqual(times, [0, 1, 2, 62, 422, 782, 1_142]);
  });

  it('are each run’s own', () => {
    const reminders = new Reminders();
    assert.deepEqual(reminders.due(['a'], 0), ['a']);
    assert.deepEqual(reminders.due(['a', 'b'], 1), ['b']);
  });
});
