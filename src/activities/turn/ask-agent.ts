import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerState } from '../../domain/bottle/bottle-runtime.js';
import type { HostPorts } from '../ports/host-ports.js';

const RETRY_MS = 1_000;

/**
 * When the agent's container was started, epoch milliseconds; now, where there is none. An engine that is away is asked
 * until it answers: a turn's limit would begin anew whenever its worker and the engine restart together.
 */
export async function startedAt(
  { runtime, clock }: Pick<HostPorts, 'runtime' | 'clock'>,
  slug: string,
  signal: AbortSignal,
): Promise<number> {
  const agent = await askAgent(runtime, slug, signal);
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
  const agent = await askAgent(runtime, slug, signal);
  return (agent?.status === 'running' || agent?.status === 'paused') && !signal.aborted;
}

async function askAgent(
  runtime: HostPorts['runtime'],
  slug: string,
  signal: AbortSignal,
): Promise<ContainerState | undefined> {
  while (!signal.aborted) {
    try {
      return await runtime.inspect(slug, 'agent');
    } catch {
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
