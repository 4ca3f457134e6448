import type { HomePorts } from '../ports/home-ports.js';

/**
 * The home machine's ports for an attempt that may be given up while it waits for the forge: nothing is written by it from then
 * on. The next attempt has long answered, and the run's row says what came of that.
 */
export function unlessGivenUp(ports: HomePorts, signal: AbortSignal): HomePorts {
  const { database } = ports;
  return {
    ...ports,
    database: {
      ...database,
      transaction: (work) =>
        database.transaction((stores) => {
          signal.throwIfAborted();
          return work(stores);
        }),
    },
  };
}
