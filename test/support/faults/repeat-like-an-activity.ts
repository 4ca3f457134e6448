import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { BotBottleError } from '../../../src/domain/base/errors.js';

const TRIES = 10;

/**
 * Repeats as a workflow repeats an activity: on faults that repeating may cure, never on others. `onFault` gets each
 * fault's whole text, its causes included. Errors: an assertion on a final fault, or after ten tries.
 */
export async function repeatLikeAnActivity<T>(
  work: () => Promise<T>,
  onFault: (text: string) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const text = inspect(error, { depth: 10, showHidden: true });
      onFault(text);
      assert.ok(error instanceof BotBottleError && error.retryable, `a fault on the way was final: ${text}`);
      assert.ok(attempt < TRIES, `not done after ${String(TRIES)} tries: ${text}`);
    }
  }
}
