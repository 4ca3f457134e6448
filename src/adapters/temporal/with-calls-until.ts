import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { abortWith } from '../../domain/base/abort-with.js';

/**
 * Runs work whose calls end when the signal aborts. The SDK leaves a listener on the signal it is given for each call, for
 * good: it gets one that is forgotten with the work.
 */
export async function withCallsUntil<T>(
  client: Client,
  stopped: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const { controller, release } = abortWith(stopped);
  setMaxListeners(0, controller.signal);
  try {
    return await client.withAbortSignal(controller.signal, work);
  } finally {
    release();
  }
}
