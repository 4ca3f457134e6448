import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/entries/entry-process.js';
import { sharedStack } from '../../support/stack/shared-stack.js';

const POISONED = pathToFileURL(join(ROOT, 'test/support/faults/poisoned-worker.mjs')).href;

/** Has one agent at a time. */
export const oneSlotStack = sharedStack({ env: { BOTTLE_DONE_GRACE: '5s', BOTTLE_SLOTS: '1' } });

/** Some words of an agent kill its worker, and a proposal waits longer than parts take to come back. */
export const messagesStack = sharedStack({
  env: { NODE_OPTIONS: `--import ${POISONED}`, SUPERVISE_HOLD: '4m' },
});
