import assert from 'node:assert/strict';
import { isGone } from '../../../../src/activities/base/is-gone.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import type { ContainerState } from '../../../../src/domain/bottle/bottle-runtime.js';

describe('a container that is gone', () => {
  const inspect = (answer: () => Promise<ContainerState | undefined>): Promise<boolean> =>
    isGone({ inspect: answer }, 'run', 'agent');

  it('is one that the engine does not have, not one that it cannot tell of', async () => {
    assert.equal(await inspect(() => Promise.resolve(undefined)), true);
    assert.equal(await inspect(() => Promise.resolve({ status: 'exited' } as ContainerState)), false);
    assert.equal(await inspect(() => Promise.reject(new BottleRuntimeError('away', true))), false);
  });
});
