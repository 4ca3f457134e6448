/** Bytes moved between two collections. */
const COLLECT_EVERY = 2 * 1024 * 1024;
/** Nothing moves for this long, ms: the last of them are collected, too. */
const QUIET_MS = 500;

/** Also gives the pages back that the texts of large requests to models had taken: else V8 keeps them for the next. */
const ALL_OF_THEM = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;

/**
 * To be told of all bytes that are moved. V8 lets 32 MiB of dead buffers lie before it looks for them, more than all else
 * that the sidecar holds by itself. Looking among the young ones, where nearly all are, takes a millisecond.
 * @param collect V8's own, which is there with `--expose-gc`; without it nothing happens
 */
export function collectDeadBuffers(collect = globalThis.gc): (bytes: number) => void {
  if (collect === undefined) return () => undefined;
  let since = 0;
  let quiet: NodeJS.Timeout | undefined;
  return (bytes) => {
    since += bytes;
    if (since < COLLECT_EVERY) return;
    since = 0;
    collect({ type: 'minor' });
    quiet ??= setTimeout(() => {
      quiet = undefined;
      collect(ALL_OF_THEM);
    }, QUIET_MS).unref();
    quiet.refresh();
  };
}
