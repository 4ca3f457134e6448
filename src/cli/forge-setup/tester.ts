import type { MadeHook, SetUpJob, WebhookWish } from './set-up.js';
import type { ForgeSetupRequest } from './request.js';
import { skip, testDelivery } from './test-delivery.js';
import type { DeliveryWatch } from '../../domain/forge/delivery-watch.js';
import type { ForgeSetupWorld } from '../base/setup-world.js';

export interface Tester {
  test(job: SetUpJob, wish: WebhookWish, made: MadeHook): Promise<void>;
  close(): Promise<void>;
}

/** One watch for the tests of all targets; where one finds nobody, the others would wait for nothing too. */
export function createTester(
  world: ForgeSetupWorld,
  { test, waitMs, ending }: Pick<ForgeSetupRequest, 'test' | 'waitMs' | 'ending'>,
): Tester {
  let watch: DeliveryWatch | undefined;
  let mayArrive = true;
  return {
    test: async (job, wish, made) => {
      const { secret } = wish;
      if (!test || secret === null) return;
      if (!mayArrive) {
        skip(job, 'the test before did not come through');
        return;
      }
      watch ??= await world.watchDeliveries(secret);
      if (watch.kind === 'unavailable') {
        skip(job, watch.reason);
        return;
      }
      const asked = { watch, settings: world.settings, wish: { ...wish, secret }, waitMs, ending };
      mayArrive = await testDelivery(job, asked, made);
    },
    close: async () => {
      if (watch !== undefined && watch.kind !== 'unavailable') await watch.close();
    },
  };
}
