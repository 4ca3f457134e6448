import type { HostPorts } from '../ports/host-ports.js';
import { untilDelivered } from './until-delivered.js';

/**
 * When the agent's container was started, epoch milliseconds; now, where there is none. An engine that is away is asked
 * until it answers: a turn's limit would begin anew whenever its worker and the engine restart together.
 */
export async function startedAt(
  { runtime, clock }: Pick<HostPorts, 'runtime' | 'clock'>,
  slug: string,
  signal: AbortSignal,
): Promise<number> {
  const agent = await untilDelivered(signal, () => runtime.inspect(slug, 'agent'));
  return Date.parse(agent?.startedAt ?? '') || clock.now();
}

/**
 * Whether the agent's container has not ended; somebody may have paused it. An engine that is away is asked until it answers.
 * `false` once the signal aborts.
 */
export async function agentRuns(
  { runtime }: Pick<HostPorts, 'runtime'>,
  slug: string,
  signal: AbortSignal,
): Promise<boolean> {
  const agent = await untilDelivered(signal, () => runtime.inspect(slug, 'agent'));
  return (agent?.status === 'running' || agent?.status === 'paused') && !signal.aborted;
}
