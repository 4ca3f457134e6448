/** Watches the worker's event loop: everybody's heartbeats go over it. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loopLagFile, type LoopLag } from '../../adapters/files/loop-lag-file.js';
import type { Logger } from '../../config/log.js';
import { waited } from './persistently.js';
import type { RunningActivities } from './running-activities.js';

const RESOLUTION_MS = 10;
const LOOK_MS = 1_000;
const WRITE_MS = 60_000;
/** A heartbeat is sent each second, and ten seconds without one is a worker that is lost. */
const LONG_MS = 1_000;

/** Logs each lag of more than a second with what ran, and writes figures down for `doctor`. Resolves when it has stopped. */
export async function keepLoopLag(
  home: string,
  activities: RunningActivities,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  const file = loopLagFile(home);
  const minute = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const look = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  minute.enable();
  look.enable();
  let worst: LoopLag['worst'] = null;
  let writtenAt = 0;
  while (await waited(LOOK_MS, stopped)) {
    const lagMs = late(look.max);
    const ran = activities.since();
    look.reset();
    const isLong = lagMs > LONG_MS;
    if (isLong) {
      log.warn({ lagMs, underWay: ran }, 'the event loop stood still');
      if (lagMs > (worst?.lagMs ?? 0)) worst = { lagMs, at: Date.now(), underWay: ran };
    }
    if (!isLong && Date.now() - writtenAt < WRITE_MS) continue;
    writtenAt = Date.now();
    const lag = { at: writtenAt, p99Ms: late(minute.percentile(99)), maxMs: late(minute.max), worst };
    minute.reset();
    // For people only: the next one may be written again.
    await file.write(lag).catch((err: unknown) => {
      log.warn({ err }, 'the lag of the event loop cannot be written down');
    });
  }
  minute.disable();
  look.disable();
}

/** The histogram counts nanoseconds from one timer to the next, and it has nothing in it at first. */
function late(nanoseconds: number): number {
  const ms = Math.round(nanoseconds / 1e6) - RESOLUTION_MS;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}
