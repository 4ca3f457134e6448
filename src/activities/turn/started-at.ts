import { setTimeout as delay } from 'node:timers/promises';
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
  while (!signal.aborted) {
    try {
      const agent = await runtime.inspect(slug, 'agent');
      return Date.parse(agent?.startedAt ?? '') || clock.now();
    } catch {
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return clock.now();
}
