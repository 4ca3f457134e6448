import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 1_000;

/**
 * Does it until it works, or the signal aborts.
 * @param onFault told of each failure
 * @returns what came of it; `undefined` once the signal aborts
 */
export async function untilDelivered<T>(
  signal: AbortSignal,
  deliver: () => Promise<T>,
  onFault: (error: unknown) => void = () => undefined,
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await deliver();
    } catch (error) {
      onFault(error);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
