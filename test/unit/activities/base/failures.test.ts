import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/activity';
import { typedFailures } from '../../../../src/activities/base/failures.js';
import { BotBottleError } from '../../../../src/domain/base/errors.js';

describe('what a workflow hears of a fault', () => {
  const failing = (fault: Error): Promise<unknown> =>
    typedFailures(() => Promise.reject(fault)).then(
      () => assert.fail('it must fail'),
      (error: unknown) => error,
    );

  it('is nothing where there is none', async () => {
    assert.equal(await typedFailures(() => Promise.resolve(7)), 7);
  });

  for (const retryable of [true, false])
    it(`is its code and words, and ${retryable ? 'to try again' : 'that no repetition cures it'}`, async () => {
      const cause = new Error('/root/.bot-bottle/secrets');
      const told = await failing(new BotBottleError('git', 'it failed', retryable, { cause }));
      assert.ok(told instanceof ApplicationFailure);
      assert.deepEqual([told.message, told.type, told.nonRetryable], ['it failed', 'git', !retryable]);
      assert.equal(told.cause, undefined, 'causes stay in the log');
    });

  it('is any other one as it is', async () => {
    const fault = new TypeError('x is not a function');
    assert.equal(await failing(fault), fault);
  });
});
