import { BotBottleError } from '../../domain/base/errors.js';
import type { HostPorts } from '../ports/host-ports.js';

/**
 * Of ADR 0051. Half of what Temporal's server gives a workflow's task, milliseconds: for as long as that task is under way no other
 * can move the run. The other half is for clocks that differ.
 */
const LEASE_MS = 5_000;
const TOO_LONG = 'it took longer than a task of the workflow may';

/**
 * The host's ports for work beside the workflow's task, which cannot be asked meanwhile: whose the run is follows from
 * the time. Errors of `isCurrent`: when nothing follows any more.
 * @param taskBeganAt the server's time, epoch milliseconds
 */
export function besideTask(ports: HostPorts, taskBeganAt: number): HostPorts {
  const isCurrent = (): Promise<boolean> =>
    ports.clock.now() < taskBeganAt + LEASE_MS
      ? Promise.resolve(true)
      : Promise.reject(new BotBottleError('lease_over', TOO_LONG, true, { away: true }));
  return { ...ports, channel: { ...ports.channel, isCurrent } };
}
