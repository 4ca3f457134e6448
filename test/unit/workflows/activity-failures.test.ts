import assert from 'node:assert/strict';
import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { failureReason, isFinal, isLostTurn, isPassing } from '../../../src/workflows/activity-failures.js';
import { hereOrQueued } from '../../../src/workflows/here-or-queued.js';

const failed = (cause: Error): ActivityFailure =>
  new ActivityFailure('the activity failed', 'runTurn', '1', 'MAXIMUM_ATTEMPTS_REACHED', 'me', cause);
const thrown = (nonRetryable: boolean, type = 'Error'): ApplicationFailure =>
  ApplicationFailure.create({ message: 'no image', type, nonRetryable });
const timedOut = (type: TimeoutFailure['timeoutType']): TimeoutFailure =>
  new TimeoutFailure('timed out', undefined, type);

describe('what the failure of an activity means', () => {
  const cases: [what: string, error: unknown, lost: boolean, passing: boolean, final: boolean][] = [
    ['its heartbeats stopped', failed(timedOut('HEARTBEAT')), true, false, false],
    ['it took too long', failed(timedOut('START_TO_CLOSE')), false, false, false],
    ['its worker left in good order', failed(thrown(false, 'TurnDetached')), true, true, false],
    ['it threw what another try may cure', failed(thrown(false)), false, true, false],
    ['it threw what no other try cures', failed(thrown(true)), false, false, true],
    ['it threw that beside the workflow', thrown(true), false, false, true],
    ['it threw beside the workflow', thrown(false), false, false, false],
    ['it failed in another way', failed(new Error('x')), false, false, false],
    ['it was called off', failed(new CancelledFailure('x')), false, false, false],
    ['it is no failure of an activity', new Error('x'), false, false, false],
    ['it is not even an error', 'x', false, false, false],
  ];
  for (const [what, error, lost, passing, final] of cases)
    it(`is known: ${what}`, () => {
      assert.deepEqual([isLostTurn(error), isPassing(error), isFinal(error)], [lost, passing, final]);
    });

  it('is told by the message of what it threw, not by Temporal’s', () => {
    assert.equal(failureReason(failed(thrown(false))), 'no image');
    assert.equal(failureReason(new Error('x'.repeat(501))), 'x'.repeat(500));
    assert.equal(failureReason('x'), 'unknown failure');
    const without = new ActivityFailure('m', 'a', '1', 'MAXIMUM_ATTEMPTS_REACHED', 'me', undefined);
    assert.equal(failureReason(without), 'unknown failure');
  });
});

describe('work that is tried beside the workflow first', () => {
  let queued: number;
  beforeEach(() => (queued = 0));
  const tried = (here: () => Promise<string | null>): Promise<string> =>
    hereOrQueued(here, () => {
      queued += 1;
      return Promise.resolve('queued');
    });

  it('is not queued when it was done', async () => {
    assert.equal(await tried(() => Promise.resolve('here')), 'here');
    assert.equal(queued, 0);
  });

  for (const [what, here] of [
    ['is not to be done there', () => Promise.resolve(null)],
    ['fails there', () => Promise.reject(failed(thrown(false)))],
    ['takes too long there', () => Promise.reject(failed(timedOut('START_TO_CLOSE')))],
  ] as const)
    it(`is queued when it ${what}`, async () => {
      assert.equal(await tried(here), 'queued');
    });

  for (const [what, error] of [
    ['no other try cures what it threw', thrown(true)],
    ['it was called off', new CancelledFailure('x')],
  ] as const)
    it(`is over when ${what}`, async () => {
      await assert.rejects(
        tried(() => Promise.reject(error)),
        error,
      );
      assert.equal(queued, 0);
    });
});
