import { sharedStack } from '../../support/stack/shared-stack.js';

/** Four turns at once: attacks are tried beside two runs that run into their limits. */
export const bottleStack = sharedStack({ env: { BOTTLE_DONE_GRACE: '2s', BOTTLE_SLOTS: '4' } });
