import type { HomePorts } from '../ports/home-ports.js';

/**
 * The home machine's ports for an attempt that may be given up while it waits for the forge. From then on it writes
 * nothing: a later attempt has answered, and the run's row shows that answer.
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
