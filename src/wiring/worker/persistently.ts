import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 10_000;

/** Until it has worked once. False when it was broken off. */
export async function persistently(
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
  stopped: AbortSignal,
  retryMs = RETRY_MS,
): Promise<boolean> {
  for (;;) {
    try {
      await work();
      return true;
    } catch (error) {
      if (!stopped.aborted) onFailure(error);
    }
    if (!(await waited(retryMs, stopped))) return false;
  }
}

/** False when it was broken off. */
export async function waited(ms: number, stopped: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal: stopped });
    return true;
  } catch {
    return false;
  }
}
