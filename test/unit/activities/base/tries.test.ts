import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { atMostThrice } from '../../../../src/activities/base/tries.js';
import {
  BotBottleError,
  BottleRuntimeError,
  ForgeHttpError,
  GitError,
} from '../../../../src/domain/base/errors.js';

/** Waits are passed by at once. Answers the number of tries and how it ended. */
async function tried(
  fault: (attempt: number) => Error | null,
  signal = new AbortController().signal,
): Promise<{ readonly tries: number; readonly end: unknown }> {
  let tries = 0;
  const ending = atMostThrice(() => {
    const error = fault((tries += 1));
    return error === null ? Promise.resolve('done') : Promise.reject(error);
  }, signal).catch((error: unknown) => error);
  const over = { yet: false };
  void ending.then(() => (over.yet = true));
  while (!over.yet) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(60_000);
  }
  return { tries, end: await ending };
}

describe('work on what an agent left', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  for (const [name, fault] of Object.entries({
    'a disk that is full': new Error('ENOSPC'),
    'an engine that answers 500': new BottleRuntimeError('too many links', true),
    'a forge that answers 500': new ForgeHttpError(500, 'POST', '/pulls', 'oops'),
    'a lock that is held': new GitError('another process has held it', true),
  }))
    it(`is tried three times on ${name}, and then is over`, async () => {
      const { tries, end } = await tried(() => fault);
      assert.equal(tries, 3);
      assert.ok(end instanceof BotBottleError && !end.retryable && end.message === fault.message);
      assert.deepEqual([end.code, end.cause], ['failed_thrice', fault]);
    });

  it('is done when the third try works', async () => {
    assert.deepEqual(await tried((attempt) => (attempt < 3 ? new Error('x') : null)), {
      tries: 3,
      end: 'done',
    });
  });

  for (const [name, fault] of Object.entries({
    'an engine that is away': new BottleRuntimeError('no engine', true, { away: true }),
    'a forge that does not answer': new ForgeHttpError(0, 'GET', '/', 'no answer'),
    'a forge behind a proxy that says 502': new ForgeHttpError(502, 'GET', '/', 'bad gateway'),
    'a refusal': new GitError('the forge refused the token', false),
  }))
    it(`leaves ${name} to whoever asked`, async () => {
      assert.deepEqual(await tried(() => fault), { tries: 1, end: fault });
    });

  it('is not tried again for nobody', async () => {
    const abort = new AbortController();
    const { tries } = await tried(() => {
      abort.abort();
      return new Error('x');
    }, abort.signal);
    assert.equal(tries, 1);
  });

  it('is not waited for when it is cancelled between two tries', async () => {
    const abort = new AbortController();
    const ending = atMostThrice(() => Promise.reject(new Error('x')), abort.signal);
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await assert.rejects(ending, { name: 'AbortError' });
  });
});
