/** Resolves when the signal aborts; at once when it has. */
export function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
