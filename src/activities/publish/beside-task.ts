import { BotBottleError } from '../../domain/base/errors.js';
import type { HostPorts } from '../ports/host-ports.js';

/**
 * Half of what Temporal's server gives a workflow task, milliseconds (ADR 0051). While that task is open no other can move
 * the run; the other half is for clocks that differ.
 */
const LEASE_MS = 5_000;
const TOO_LONG = 'it took longer than a task of the workflow may';

/**
 * The host's ports for work while the workflow task is open and cannot be asked. That the run is still here follows from the
 * time that has passed; `isCurrent` rejects once it does not follow any more.
 * @param taskBeganAt the server's time, epoch milliseconds
 */
export function besideTask(ports: HostPorts, taskBeganAt: number): HostPorts {
  const isCurrent = (): Promise<boolean> =>
    ports.clock.now() < taskBeganAt + LEASE_MS
      ? Promise.resolve(true)
      : Promise.reject(new BotBottleError('lease_over', TOO_LONG, true, { away: true }));
  return { ...ports, channel: { ...ports.channel, isCurrent } };
}
