import { sharedStack } from '../../support/stack/shared-stack.js';

export const operatorStack = sharedStack({ env: { BOTTLE_DONE_GRACE: '2s' } });
