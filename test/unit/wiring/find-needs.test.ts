import assert from 'node:assert/strict';
import { setImmediate as later } from 'node:timers/promises';
import { BottleRuntimeError, InvalidInputError } from '../../../src/domain/base/errors.js';
import { findNeeds, MissingNeedsError } from '../../../src/wiring/find-needs.js';

const missing = (message: string) => (): never => {
  throw new InvalidInputError(message);
};

/** The problems of a search that has to fail. */
async function problems(finders: Parameters<typeof findNeeds>[0]): Promise<readonly string[]> {
  const error: unknown = await findNeeds(finders).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof MissingNeedsError, String(error));
  return error.problems;
}

describe('finding what a start needs', () => {
  it('answers everything by its name', async () => {
    assert.deepEqual(await findNeeds({ now: () => 1, soon: async () => 'two' }), { now: 1, soon: 'two' });
  });

  it('tells every problem, in the order in which they were asked for', async () => {
    const slow = async (): Promise<never> => {
      await later();
      throw new BottleRuntimeError('no engine', true);
    };
    assert.deepEqual(await problems({ slow, there: () => 1, quick: missing('no secret') }), [
      'no engine',
      'no secret',
    ]);
  });

  it('tells a problem once, though two parts have it', async () => {
    const part = (): Promise<unknown> =>
      findNeeds({ token: missing('no token'), other: missing('no forge') });
    assert.deepEqual(await problems({ part, token: missing('no token') }), ['no token', 'no forge']);
  });

  it('lists several below each other, and one by itself', () => {
    assert.equal(new MissingNeedsError(['no token']).message, 'no token');
    assert.equal(new MissingNeedsError(['a', 'b']).message, 'nothing was started:\n  a\n  b');
  });

  it('hands on a fault of ours as it is', async () => {
    const fault = new TypeError('a bug');
    const finders = {
      secret: missing('no secret'),
      broken: () => {
        throw fault;
      },
    };
    await assert.rejects(findNeeds(finders), (error) => error === fault);
  });
});
