import { randomBytes } from 'node:crypto';
import { after } from 'mocha';
import { bridgeAddress } from '../../support/model-api/bridge-address.js';
import { ModelApi } from '../../support/model-api/model-api.js';
import { SyncStack } from '../../support/sync/sync-stack.js';

/** In the environment of the worker, and of nothing that it starts. */
export const HOST_CANARY = `canary-host-${randomBytes(16).toString('hex')}`;

export interface Syncing {
  readonly world: SyncStack;
  /** The model of an agent that is a real one. */
  readonly api: ModelApi;
}

let started: Syncing | undefined;
after(async function tearDownSyncStack() {
  this.timeout(120_000);
  await started?.world.remove();
  await started?.api.close();
});

/** Starts what all suites of a sync share, unless it runs. */
export async function syncStack(): Promise<Syncing> {
  if (started !== undefined) return started;
  const api = await ModelApi.start({ address: await bridgeAddress() });
  const world = await SyncStack.start({
    MODEL_ANTHROPIC_URL: api.url,
    ...{ HOST_CANARY, OPENCODE_CONFIG: HOST_CANARY, FORKLIFT_DOCKER_COMMAND: 'touch /workspace/owned' },
  });
  started = { world, api };
  return started;
}
