import { isPartOfUp } from './part-of-up.js';

const ASKING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * SIGINT, SIGTERM, the end of the terminal, or of the process that started this one. The same signal again ends the
 * process at once; not a part of `up`, which a service manager asks and `up` asks, too.
 */
export function untilAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve();
    };
    for (const signal of ASKING)
      if (isPartOfUp()) process.on(signal, stop);
      else process.once(signal, stop);
    process.once('disconnect', stop);
  });
}
