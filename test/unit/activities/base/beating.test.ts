import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beating, HEARTBEAT_MS } from '../../../../src/activities/base/beating.js';

describe('an activity’s work with heartbeats beside it', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  const never = (): Promise<never> => new Promise(() => undefined);
  function environment(): { readonly activity: MockActivityEnvironment; readonly beats: () => number } {
    const activity = new MockActivityEnvironment();
    let beats = 0;
    activity.on('heartbeat', () => (beats += 1));
    return { activity, beats: () => beats };
  }

  it('answers what the work answers, and beats until then and no longer', async () => {
    const { activity, beats } = environment();
    const answer = await activity.run(() =>
      beating(() => {
        mock.timers.tick(3 * HEARTBEAT_MS);
        return Promise.resolve('done');
      }),
    );
    mock.timers.tick(10 * HEARTBEAT_MS);
    assert.deepEqual([answer, beats()], ['done', 3]);
  });

  it('fails as the work does, and beats no longer', async () => {
    const { activity, beats } = environment();
    const fault = new Error('no disk');
    await activity.run(() =>
      assert.rejects(
        beating(() => Promise.reject(fault)),
        fault,
      ),
    );
    mock.timers.tick(10 * HEARTBEAT_MS);
    assert.equal(beats(), 0);
  });

  it('keeps nobody who cancels waiting for work that does not end, and tells the work', async () => {
    const { activity, beats } = environment();
    const seen: AbortSignal[] = [];
    const ending = activity.run(() =>
      beating((signal) => {
        seen.push(signal);
        return never();
      }),
    );
    activity.cancel('CANCELLED');
    await assert.rejects(ending, CancelledFailure);
    assert.deepEqual(
      seen.map(({ aborted }) => aborted),
      [true],
    );
    mock.timers.tick(10 * HEARTBEAT_MS);
    assert.equal(beats(), 0);
  });
});
