/**
 * Work that is called off when it takes longer than `limitMs`, or when `stopped` aborts. Neither `AbortSignal.timeout` nor
 * `AbortSignal.any`: on Node 20 what they depend on can be collected, and the work is never called off.
 */
export async function withinLimit<T>(
  limitMs: number,
  stopped: AbortSignal,
  work: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  const timer = setTimeout(end, limitMs);
  stopped.addEventListener('abort', end);
  if (stopped.aborted) end();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', end);
  }
}
