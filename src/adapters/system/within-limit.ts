import { abortWith } from '../../domain/base/abort-with.js';

/** Work that is called off when it takes longer than `limitMs`, or when `stopped` aborts. */
export async function withinLimit<T>(
  limitMs: number,
  stopped: AbortSignal,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const { controller, release } = abortWith(stopped);
  // Not `AbortSignal.timeout`: on Node 20 it can be collected, and the work is never called off.
  const timer = setTimeout(() => {
    controller.abort();
  }, limitMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    release();
  }
}
