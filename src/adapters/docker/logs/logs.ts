import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { LogLine } from '../../../domain/bottle/bottle-runtime.js';
import { openStream } from '../engine-stream.js';
import { normaliseEngineTime, toUnixNanos } from './engine-time.js';
import { toRuntimeError } from '../errors.js';
import { GapSearch } from './log-gap.js';
import { LogLineAssembler } from './log-lines.js';
import { frames } from './stream-frames.js';
import { TICK_MS, TimeOrder } from './time-order.js';
import { waitUntilStopped } from '../wait.js';

/** Which container, and since when (exclusive). */
export interface LogSource {
  readonly id: string;
  readonly name: string;
  readonly since: string | null;
}

/** What a follower is given to end by itself after the container has stopped. */
const STOPPED_GRACE_MS = 200;
/** A log ends a moment before its container counts as stopped; if it doesn't stop, the log is followed again. */
const FOLLOW_AGAIN_MS = 1000;
/** Longest wait for what is there already, milliseconds. */
const CATCH_UP_MS = 5_000;

/**
 * Passes on every line in order of time until the container stops, or returns when the signal aborts. The engine's own
 * `since` includes its moment, so the last line seen is asked for again and dropped here: nothing is lost and nothing
 * comes twice, unless the container writes so fast that the engine throws lines away before they are read.
 * @param onCaughtUp called once what was there at the call has been passed on; that costs a request of its own
 * @returns whether that may have happened
 * @throws what `onLine` throws; BottleRuntimeError when the connection breaks (retryable: attach again with the last
 * line's time)
 */
export async function followContainerLogs(
  docker: Docker,
  source: LogSource,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
  onCaughtUp?: () => void,
): Promise<{ readonly mayHaveGap: boolean }> {
  const start = source.since === null ? null : requireTime(source.since);
  // Our own clock's time stamps have fewer digits than the engine takes.
  const from = { ...source, since: start };
  let last = start;
  const gap = new GapSearch();
  let mayHaveGap = false;
  let failure: { readonly thrown: unknown } | undefined;
  // Not `AbortSignal.any`: in Node 20 it lets its sources be collected, and a time-out among them never comes.
  const stop = new AbortController();
  const forward = (): void => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', forward);
  if (signal.aborted) forward();
  const order = new TimeOrder((line) => {
    if (stop.signal.aborted) return;
    try {
      onLine(line);
      gap.given(line);
      last = line.at;
    } catch (thrown) {
      failure = { thrown };
      stop.abort(thrown);
    }
  });
  const timer = setInterval(() => {
    order.tick();
  }, TICK_MS);
  const push = (line: LogLine): void => {
    order.push(line);
  };
  try {
    if (onCaughtUp !== undefined) {
      const past = new AbortController();
      // What has no newline yet comes again, whole.
      const reading = readLogs(docker, from, false, past.signal, new LogLineAssembler(start, push));
      // An engine that does not come to the end of it holds nobody up: the rest comes by following.
      try {
        await Promise.race([reading, pause(CATCH_UP_MS, undefined, { signal: stop.signal })]);
      } finally {
        past.abort();
        await reading.catch(() => undefined);
      }
      while (order.isHolding && !stop.signal.aborted) await pause(TICK_MS);
      onCaughtUp();
    }
    // A follower may end before, or never after, it has given the log's last records. What was held back comes again.
    let stopped = false;
    while (!stopped) {
      stopped = await followWhileRunning(docker, { ...source, since: last }, stop.signal, push);
      order.clear();
    }
    const end = last;
    // The line at `end` is asked for, too: if it is gone, others are.
    const lines = new LogLineAssembler(start, (line) => {
      gap.found(line);
      if (end === null || line.at > end) order.push(line);
    });
    await readLogs(docker, { ...source, since: gap.isOfAll() ? start : end }, false, stop.signal, lines);
    lines.flush();
    order.releaseAll();
    mayHaveGap = gap.mayBeThere;
  } catch (error) {
    if (!stop.signal.aborted) throw toRuntimeError(error, `follow the log of ${source.name}`);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', forward);
  }
  if (failure !== undefined) throw failure.thrown;
  return { mayHaveGap: mayHaveGap && !signal.aborted };
}

/**
 * The engine (seen with 20.10) can follow for ever the log of a container that stopped in the moment of the call, so
 * the container is watched as well.
 * @returns whether the container stopped; if not, only the follower did
 */
async function followWhileRunning(
  docker: Docker,
  source: LogSource,
  stop: AbortSignal,
  onLine: (line: LogLine) => void,
): Promise<boolean> {
  const done = new AbortController();
  const { signal } = done;
  const finish = (): void => {
    done.abort();
  };
  stop.addEventListener('abort', finish);
  if (stop.aborted) finish();
  const lines = new LogLineAssembler(source.since, onLine);
  const following = readLogs(docker, source, true, signal, lines);
  const stopped = waitUntilStopped(docker, source.id, source.name, { signal });
  const overdue = stopped.then(() => pause(STOPPED_GRACE_MS, undefined, { signal }));
  const settled = Promise.allSettled([following, overdue]);
  try {
    await Promise.race([following, overdue]);
    return await Promise.race([stopped.then(() => true), pause(FOLLOW_AGAIN_MS, false, { signal })]);
  } finally {
    finish();
    stop.removeEventListener('abort', finish);
    await settled;
  }
}

async function readLogs(
  docker: Docker,
  source: LogSource,
  follow: boolean,
  signal: AbortSignal,
  lines: LogLineAssembler,
): Promise<void> {
  const { id, since } = source;
  const flags = { follow: follow ? '1' : '0', stdout: '1', stderr: '1', timestamps: '1' };
  const options = since === null ? flags : { ...flags, since: toUnixNanos(since) };
  const stream = await openStream(
    docker,
    'GET',
    `/containers/${encodeURIComponent(id)}/logs?`,
    options,
    signal,
  );
  for await (const frame of frames(stream)) {
    if (signal.aborted) return;
    lines.push(frame);
  }
}

function requireTime(since: string): string {
  const normalised = normaliseEngineTime(since);
  if (normalised === undefined) {
    throw new InvalidInputError(`not a time stamp of the engine: ${JSON.stringify(since.slice(0, 80))}`);
  }
  return normalised;
}
