import { stat, watch, type FSWatcher } from 'node:fs';

/** One look at the directory's time stamp, milliseconds; finds what the kernel's notice missed or cannot give. */
const POLL_MS = 500;
/** Many changes are one call, milliseconds: a bundle that floods does not keep the worker busy. */
const SETTLE_MS = 5;

/** Calls back soon after a name in the directory appeared, changed or went; also once when it is watched. */
export function watchDirectory(directory: string, onChange: () => void): () => void {
  let settling: NodeJS.Timeout | undefined;
  let closed = false;
  let lastSeen: bigint | undefined;
  const changed = (): void => {
    if (closed) return;
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, SETTLE_MS);
  };
  const poll = setInterval(() => {
    stat(directory, { bigint: true }, (_error, found) => {
      // Typed as always there, but not when the directory is gone.
      const now = (found as typeof found | undefined)?.mtimeNs;
      if (now === lastSeen) return;
      lastSeen = now;
      changed();
    });
  }, POLL_MS);
  poll.unref();
  const watcher = watchQuietly(directory, changed);
  return () => {
    closed = true;
    clearInterval(poll);
    clearTimeout(settling);
    watcher?.close();
  };
}

function watchQuietly(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    // Out of watches, or the directory is gone: the poll goes on.
    watcher.on('error', () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
