import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { oneAtATime } from '../../../../src/activities/base/one-at-a-time.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { inActivity } from '../../../support/temporal/in-activity.js';

describe('the activity of a schedule', () => {
  it('is never done twice at once, and again when it is over', async () => {
    let letGo: (what: string) => void = () => undefined;
    const work = oneAtATime('busy', () => new Promise<string>((resolve) => (letGo = resolve)));
    const first = inActivity(() => work());
    assert.equal(await inActivity(() => work()), 'busy');
    letGo('first');
    assert.equal(await first, 'first');
    const second = inActivity(() => work());
    letGo('second');
    assert.equal(await second, 'second');
  });

  it('is not done beside an attempt that was given up and goes on', async () => {
    let letGo: (what: string) => void = () => undefined;
    const work = oneAtATime('busy', () => new Promise<string>((resolve) => (letGo = resolve)));
    const activity = new MockActivityEnvironment();
    const first = activity.run(() => work());
    activity.cancel('TIMED_OUT');
    await assert.rejects(first, CancelledFailure);
    assert.equal(await inActivity(() => work()), 'busy');
    letGo('first');
    await setImmediate();
    const second = inActivity(() => work());
    letGo('second');
    assert.equal(await second, 'second');
  });

  it('fails as its work does, and is done again after that', async () => {
    let isAway = true;
    const work = oneAtATime('busy', (_signal, what: string) =>
      isAway ? Promise.reject(new BottleRuntimeError('no engine', true)) : Promise.resolve(what),
    );
    await inActivity(() => assert.rejects(work('first'), BottleRuntimeError));
    isAway = false;
    assert.equal(await inActivity(() => work('second')), 'second');
  });
});
