import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/activity';
import { typedFailures } from '../../../../src/activities/base/failures.js';
import { createHomeActivities } from '../../../../src/activities/home-activities.js';
import { createHostActivities } from '../../../../src/activities/host-activities.js';
import { createRowReviewActivities } from '../../../../src/activities/publish/review-rows.js';
import { createReconcileActivities } from '../../../../src/activities/reconcile/reconcile-activity.js';
import { createSweepActivities } from '../../../../src/activities/sweep/sweep-activity.js';
import { createSyncRowActivities } from '../../../../src/activities/sync/begin-sync.js';
import { createSyncActivities } from '../../../../src/activities/sync/sync-activities.js';
import { BotBottleError, ForgeHttpError } from '../../../../src/domain/base/errors.js';
import { inActivity } from '../../../support/temporal/in-activity.js';

describe('what a workflow hears of a fault', () => {
  const failing = (fault: Error): Promise<unknown> =>
    typedFailures({ work: () => Promise.reject(fault) })
      .work()
      .then(
        () => assert.fail('it must fail'),
        (error: unknown) => error,
      );

  it('is nothing where there is none', async () => {
    const { twice } = typedFailures({ twice: (number: number) => Promise.resolve(2 * number) });
    assert.equal(await twice(7), 14);
  });

  for (const retryable of [true, false])
    it(`is its code and words, and ${retryable ? 'to try again' : 'that no repetition cures it'}`, async () => {
      const cause = new Error('/root/.bot-bottle/secrets');
      const told = await failing(new BotBottleError('git', 'it failed', retryable, { cause }));
      assert.ok(told instanceof ApplicationFailure);
      assert.deepEqual([told.message, told.type, told.nonRetryable], ['it failed', 'git', !retryable]);
      assert.equal(told.cause, undefined, 'causes stay in the log');
    });

  it('is when the forge wants to be asked again, within two minutes', async () => {
    const delayOf = async (retryAfterMs?: number): Promise<unknown> => {
      const told = await failing(new ForgeHttpError(429, 'GET', '/x', 'too many', { retryAfterMs }));
      assert.ok(told instanceof ApplicationFailure);
      return told.nextRetryDelay ?? null;
    };
    assert.deepEqual(
      [
        await delayOf(60_000),
        await delayOf(600_000),
        await delayOf(0),
        await delayOf(29_000),
        await delayOf(),
      ],
      [60_000, 120_000, null, null, null],
    );
  });

  it('is any other one as it is', async () => {
    const fault = new TypeError('x is not a function');
    assert.equal(await failing(fault), fault);
  });

  // Whatever they ask their ports for fails.
  const nothingWorks = new Proxy({} as never, {
    get: (_none, name) => {
      if (name === 'clock') return { now: Date.now };
      throw new BotBottleError('git', 'it failed', false);
    },
  });
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    'the host': () => createHostActivities(nothingWorks, nothingWorks).destroyBottle(nothingWorks),
    'the home': () => createHomeActivities(nothingWorks, nothingWorks).recordTurn(nothingWorks),
    'the rows': () => createRowReviewActivities(nothingWorks).reviewRows({ host: 'h' }),
    'a sync': () => createSyncRowActivities(nothingWorks).beginSync(nothingWorks),
    'a sync’s host': () =>
      createSyncActivities({ host: { underWay: nothingWorks } } as never, nothingWorks).prepareSync(
        nothingWorks,
      ),
    'the sweep': () => createSweepActivities(nothingWorks).sweepHost({ expected: [] }),
    'the reconciler': () => createReconcileActivities(nothingWorks).reconcile(),
  };
  for (const [whose, ask] of Object.entries(asked))
    it(`is so of the activities of ${whose}`, async () => {
      await inActivity(() => assert.rejects(ask(), { type: 'git', nonRetryable: true }));
    });
});
