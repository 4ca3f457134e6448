/**
 * Work that is called off when it takes longer than `limitMs`, or when `stopped` aborts. The timer holds the signal that it aborts: on
 * Node 20 an `AbortSignal.timeout` that only `AbortSignal.any` knows can be collected, and the work is never called off.
 */
export async function withinLimit<T>(
  limitMs: number,
  stopped: AbortSignal,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
  }, limitMs);
  try {
    return await work(AbortSignal.any([stopped, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
