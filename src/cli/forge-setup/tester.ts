import { nameOfTarget } from '../../domain/forge/forge-admin.js';
import type { MadeHook, SetUpJob, WebhookWish } from './set-up.js';
import { testDelivery } from './test-delivery.js';
import type { DeliveryWatch } from '../../domain/forge/delivery-watch.js';
import type { ForgeSetupWorld } from '../base/setup-world.js';

export interface Tester {
  test(job: SetUpJob, wish: WebhookWish, made: MadeHook): Promise<void>;
  close(): Promise<void>;
}

/** One watch for the tests of all targets; where one finds nobody, the others would wait for nothing too. */
export function createTester(
  world: ForgeSetupWorld,
  { test, waitMs }: { readonly test: boolean; readonly waitMs: number },
): Tester {
  let watch: DeliveryWatch | undefined;
  let failed = false;
  return {
    test: async (job, wish, made) => {
      if (!test || wish.secret === null) return;
      if (failed) {
        const item = { target: nameOfTarget(job.target), what: 'delivery', name: '' } as const;
        job.report({ ...item, state: 'skipped', detail: 'not tested: the test before did not come through' });
        return;
      }
      watch ??= await world.watchDeliveries(wish.secret);
      const verdict = await testDelivery(job, { watch, settings: world.settings, wish, waitMs }, made);
      failed = verdict === 'failed';
    },
    close: async () => {
      if (watch !== undefined && watch.kind !== 'unavailable') await watch.close();
    },
  };
}
