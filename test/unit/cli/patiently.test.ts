import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { ServiceError } from '@temporalio/client';
import { UnreachableError } from '../../../src/cli/base/errors.js';
import { patiently } from '../../../src/cli/runs/patiently.js';

const MINUTE = 60_000;
const AWAY = [new UnreachableError('Temporal', 'start it'), new ServiceError('away')] as const;

describe('a question that stands for hours', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  /** What is asked fails that many times, each after so long. */
  function failing(times: number, { error, afterMs }: { readonly error: Error; readonly afterMs: number }) {
    let asked = 0;
    return () => {
      asked += 1;
      if (asked > times) return Promise.resolve(asked);
      mock.timers.tick(afterMs);
      return Promise.reject(error);
    };
  }

  /** As if the time between two questions were over at once. */
  async function hurried<T>(answer: Promise<T>): Promise<T> {
    const over = new AbortController();
    const done = answer.finally(() => {
      over.abort();
    });
    done.catch(() => undefined);
    while (!over.signal.aborted) {
      await new Promise(setImmediate);
      mock.timers.tick(500);
    }
    return done;
  }

  for (const error of AWAY) {
    it(`is asked again while there is nobody to answer it: ${error.name}`, async () => {
      assert.equal(await hurried(patiently(failing(14, { error, afterMs: MINUTE / 3 }))), 15);
    });

    it(`is given up when nobody was there for five minutes: ${error.name}`, async () => {
      await assert.rejects(hurried(patiently(failing(17, { error, afterMs: MINUTE / 3 }))), error);
    });

    it(`is asked again after each of two outages, with an hour between them: ${error.name}`, async () => {
      assert.equal(await hurried(patiently(failing(3, { error, afterMs: 60 * MINUTE }))), 4);
    });
  }

  it('is not asked again where it was answered that it failed', async () => {
    const error = new Error('no');
    await assert.rejects(hurried(patiently(failing(1, { error, afterMs: 0 }))), error);
  });
});
