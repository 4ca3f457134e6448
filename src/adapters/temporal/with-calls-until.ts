import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';

/**
 * Runs work whose calls end when the signal aborts. The SDK leaves a listener on the signal it is given for each call, for
 * good: it gets one that is forgotten with the work.
 */
export async function withCallsUntil<T>(
  client: Client,
  stopped: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const calls = new AbortController();
  setMaxListeners(0, calls.signal);
  const end = (): void => {
    calls.abort(stopped.reason);
  };
  if (stopped.aborted) end();
  stopped.addEventListener('abort', end, { once: true });
  try {
    return await client.withAbortSignal(calls.signal, work);
  } finally {
    stopped.removeEventListener('abort', end);
  }
}
