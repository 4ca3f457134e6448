import { after } from 'mocha';
import type { Client } from '@temporalio/client';
import { Stack, type StackOptions } from './stack.js';
import { tearDown } from './tear-down.js';
import { stackInUse, type StackInUse } from './use-stack.js';

/**
 * As `useStack`, for several suites of one mocha file: the first that runs starts the stack, and it is torn down when the
 * last one is through. So what a suite leaves there, the next one finds.
 * @param options made when the first suite begins, where they are known only then
 * @returns called in each of the suites
 */
export function sharedStack(
  options: StackOptions | (() => Promise<StackOptions>),
  furnish?: (stack: Stack) => Promise<void>,
): () => StackInUse {
  let prepared: Stack | undefined;
  let client: Client | undefined;
  after(async function tearDownSharedStack() {
    this.timeout(120_000);
    if (prepared !== undefined) await tearDown(prepared, client);
  });
  return () =>
    stackInUse(async () => {
      if (prepared === undefined) {
        prepared = await Stack.prepare(typeof options === 'function' ? await options() : options);
        await furnish?.(prepared);
        await prepared.start();
        client = await prepared.client();
      }
      if (client === undefined) throw new Error('the shared stack did not start');
      return { stack: prepared, client };
    });
}
