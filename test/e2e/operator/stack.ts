import { freePort } from '../../support/ports/free-port.js';
import { sharedStack } from '../../support/stack/shared-stack.js';

export const operatorStack = sharedStack(async () => ({
  env: {
    BOTTLE_DONE_GRACE: '2s',
    FORGE_REPOS: 'alice/*',
    LOG_LEVEL: 'trace',
    API_LISTEN: `127.0.0.1:${String(await freePort())}`,
  },
}));
