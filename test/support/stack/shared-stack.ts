import { after } from 'mocha';
import type { Client } from '@temporalio/client';
import { Stack } from './stack.js';
import { tearDown } from './tear-down.js';
import { stackInUse, type StackInUse } from './use-stack.js';

let prepared: Stack | undefined;
let client: Client | undefined;

/** As `useStack`, with one stack for all suites of a mocha process; it is torn down when the last one is through. */
export function sharedStack(): StackInUse {
  return stackInUse(async () => {
    prepared ??= await Stack.prepare({ env: { BOTTLE_DONE_GRACE: '2s' } });
    if (client === undefined) await prepared.start();
    client ??= await prepared.client();
    return { stack: prepared, client };
  });
}

after(async function tearDownSharedStack() {
  if (prepared !== undefined) await tearDown(prepared, client);
});
