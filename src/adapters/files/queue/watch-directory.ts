import { watch } from 'node:fs';

/** Many changes are one call, milliseconds: a bundle that floods does not keep the worker busy. */
const SETTLE_MS = 5;

/**
 * Calls back soon after a name in the directory appeared, changed or went, as far as the kernel tells: it may be out of
 * watches, so whoever must know looks every now and then, too.
 */
export function watchDirectory(directory: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  const changed = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, SETTLE_MS);
  };
  const stop = watchQuietly(directory, changed);
  return () => {
    stop();
    clearTimeout(settling);
  };
}

function watchQuietly(directory: string, onChange: () => void): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    const stop = (): void => {
      watcher.close();
    };
    // Out of watches, or the directory is gone.
    watcher.on('error', stop);
    return stop;
  } catch {
    return () => undefined;
  }
}
