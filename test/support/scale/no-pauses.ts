import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

/** In the tests of a `describe`: what pauses between two tries does not wait. Order and signals are as they were. */
export function withoutPauses(): void {
  const wait = timers.setTimeout;
  before(() => {
    timers.setTimeout = (_ms, value, options) => wait(0, value, options);
    syncBuiltinESMExports();
  });
  after(() => {
    timers.setTimeout = wait;
    syncBuiltinESMExports();
  });
}
