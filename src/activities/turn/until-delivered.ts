import { setTimeout as delay } from 'node:timers/promises';

const RETRY_MS = 1_000;

/** Does it until it works, or the signal aborts. @param onFault told of each failure */
export async function untilDelivered(
  signal: AbortSignal,
  deliver: () => Promise<void>,
  onFault: (error: unknown) => void = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await deliver();
      return;
    } catch (error) {
      onFault(error);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
