import { setTimeout as pause } from 'node:timers/promises';
import type Docker from 'dockerode';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { LogLine, LogPosition } from '../../../domain/bottle/bottle-runtime.js';
import { abortWith } from '../../../domain/base/abort-with.js';
import { openStream } from '../engine-stream.js';
import { normaliseEngineTime, toUnixNanos } from './engine-time.js';
import { toRuntimeError } from '../errors.js';
import { GapSearch } from './log-gap.js';
import { LogLineAssembler } from './log-lines.js';
import { frames } from './stream-frames.js';
import { waitUntilStopped } from '../wait.js';

/** Which container, and from where on. */
export interface LogSource {
  readonly id: string;
  readonly name: string;
  readonly since: LogPosition;
}

/** What a follower is given to end by itself after the container has stopped. */
const STOPPED_GRACE_MS = 200;
/** A log ends a moment before its container counts as stopped; if it doesn't stop, the log is followed again. */
const FOLLOW_AGAIN_MS = 1000;
/** Longest wait for what is there already, milliseconds. */
const CATCH_UP_MS = 5_000;
/** A line may stand so far behind a younger one of the other stream, seconds: what stamped it had to wait for a processor. */
const STREAMS_APART_S = 10;

/**
 * Passes on every line, in order within its stream, until the container stops, or returns when the signal aborts. The
 * engine is asked for more than is new, and what was seen is dropped here: nothing is lost and nothing comes twice,
 * unless the container writes so fast that the engine throws lines away before they are read.
 * @param onCaughtUp called once what was there at the call has been passed on; that costs a request of its own
 * @returns whether that may have happened
 * @throws what `onLine` throws; BottleRuntimeError when the connection breaks (retryable: attach again with the last
 * lines' times)
 */
export async function followContainerLogs(
  docker: Docker,
  source: LogSource,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
  onCaughtUp?: () => void,
): Promise<{ readonly mayHaveGap: boolean }> {
  // Our own clock's time stamps have fewer digits than the engine's.
  const start = { stdout: requireTime(source.since.stdout), stderr: requireTime(source.since.stderr) };
  const seen: Record<LogLine['stream'], string | null> = { ...start };
  const gap = new GapSearch();
  let mayHaveGap = false;
  let failure: { readonly thrown: unknown } | undefined;
  const { controller: stop, release } = abortWith(signal);
  const pass = (line: LogLine): void => {
    if (stop.signal.aborted) return;
    try {
      onLine(line);
      gap.given(line);
      seen[line.stream] = line.at;
    } catch (thrown) {
      failure = { thrown };
      stop.abort(thrown);
    }
  };
  try {
    if (onCaughtUp !== undefined) {
      const past = new AbortController();
      // What has no newline yet comes again, whole.
      const lines = new LogLineAssembler(start, pass);
      const reading = readLogs(docker, { ...source, since: start }, false, past.signal, lines);
      // An engine that does not come to the end of it holds nobody up: the rest comes by following.
      try {
        await Promise.race([reading, pause(CATCH_UP_MS, undefined, { signal: stop.signal })]);
      } finally {
        past.abort();
        await reading.catch(() => undefined);
      }
      onCaughtUp();
    }
    // A follower may end before, or never after, it has given the log's last records.
    let stopped = false;
    while (!stopped)
      stopped = await followWhileRunning(docker, { ...source, since: seen }, stop.signal, pass);
    const end = { ...seen };
    const rest = new LogLineAssembler(start, (line) => {
      gap.found(line);
      if (line.at > (end[line.stream] ?? '')) pass(line);
    });
    await readLogs(docker, { ...source, since: start }, false, stop.signal, rest);
    rest.flush();
    mayHaveGap = gap.mayBeThere;
  } catch (error) {
    if (!stop.signal.aborted) throw toRuntimeError(error, `follow the log of ${source.name}`);
  } finally {
    release();
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
  const { controller: done, release } = abortWith(stop);
  const { signal } = done;
  const lines = new LogLineAssembler({ ...source.since }, onLine);
  const following = readLogs(docker, source, true, signal, lines);
  const stopped = waitUntilStopped(docker, source.id, source.name, { signal });
  const overdue = stopped.then(() => pause(STOPPED_GRACE_MS, undefined, { signal }));
  const settled = Promise.allSettled([following, overdue]);
  try {
    await Promise.race([following, overdue]);
    return await Promise.race([stopped.then(() => true), pause(FOLLOW_AGAIN_MS, false, { signal })]);
  } finally {
    done.abort();
    release();
    await settled;
  }
}

async function readLogs(
  docker: Docker,
  { id, since }: LogSource,
  follow: boolean,
  signal: AbortSignal,
  lines: LogLineAssembler,
): Promise<void> {
  const flags = { follow: follow ? '1' : '0', stdout: '1', stderr: '1', timestamps: '1' };
  const last = latest(since);
  const options = last === null ? flags : { ...flags, since: toUnixNanos(last, STREAMS_APART_S) };
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

function latest({ stdout, stderr }: LogPosition): string | null {
  return (stdout ?? '') > (stderr ?? '') ? stdout : stderr;
}

function requireTime(since: string | null): string | null {
  if (since === null) return null;
  const normalised = normaliseEngineTime(since);
  if (normalised === undefined) {
    throw new InvalidInputError(`not a time stamp of the engine: ${JSON.stringify(since.slice(0, 80))}`);
  }
  return normalised;
}
