import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import { waitUntil } from '../support/stack/stack.js';
import { CLOSED, withLife, type IssueLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { replayed } from '../support/temporal/replayed.js';
import type { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';
import type { AllActivities } from '../support/temporal/time-skipping.js';

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

describe('a row that no other try writes', function () {
  this.timeout(90_000);
  const environment = localServer();
  const ways: Readonly<Record<string, (life: IssueLife) => Promise<unknown>>> = {
    cancelled: ({ handle }) => handle.cancel(),
    closed: (life) => life.send(CLOSED),
  };

  for (const [what, end] of Object.entries(ways))
    it(`holds up the end of a run that is ${what} until the cause is gone`, async () => {
      let tries = 0;
      let isBroken = true;
      const recordTurn =
        (fake: ScriptedActivities): AllActivities['recordTurn'] =>
        (input) => {
          tries += 1;
          if (isBroken) return Promise.reject(ApplicationFailure.nonRetryable('chmod 600 it', 'signing_key'));
          return fake.activities.recordTurn(input);
        };
      await withLife(
        environment(),
        { activities: (fake) => ({ recordTurn: recordTurn(fake) }) },
        async (life) => {
          const triedAgain = (): Promise<void> => {
            const before = tries;
            return waitUntil('another try', () => tries > before, 30_000);
          };
          await triedAgain();
          await end(life);
          await triedAgain();
          isBroken = false;
          await life.handle.result();
          assert.deepEqual(
            [life.fake.recorded.length, life.fake.destroyed.length, life.fake.ended.length],
            [1, 1, 1],
          );
          const history = await life.handle.fetchHistory();
          const why = (history.events ?? []).flatMap(
            ({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? [],
          );
          assert.match(why[0] ?? '', /a row cannot be written: chmod 600 it/);
          assert.equal(await replayed('a row that was held up', history), undefined);
        },
      );
    });
});
