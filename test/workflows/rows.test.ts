import assert from 'node:assert/strict';
import { withLife } from '../support/temporal/issue-life.js';
import { replayed } from '../support/temporal/replayed.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

const HOUR_MS = 3_600_000;
/** Of the server; tries within a task would take as long in earnest. */
const FULL_HOURS = 6;
/** A try each five minutes, of six events. */
const EVENTS_AN_HOUR = 12 * 6;
/** Of the life itself, and of the first tries. */
const OTHER_EVENTS = 150;

describe('rows that cannot be written while the disk is full, on the time-skipping server', function () {
  this.timeout(180_000);
  const environment = timeSkipping();

  it('are tried without filling history, and are written when it has room', async () => {
    let fullUntil: number | undefined;
    await withLife(
      environment(),
      {
        activities: (fake) => ({
          recordTurn: async (input) => {
            const now = await environment().currentTimeMs();
            fullUntil ??= now + FULL_HOURS * HOUR_MS;
            if (now < fullUntil) throw new Error('database or disk is full');
            return fake.activities.recordTurn(input);
          },
        }),
      },
      async (life) => {
        await life.frozen();
        await life.destroy();
        assert.equal(life.fake.recorded.length, 1);
        const history = await life.handle.fetchHistory();
        const events = history.events?.length ?? 0;
        assert.ok(events < OTHER_EVENTS + FULL_HOURS * EVENTS_AN_HOUR, `${String(events)} events`);
        assert.equal(await replayed('a full disk', history), undefined);
      },
    );
  });
});
