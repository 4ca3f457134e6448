import type Docker from 'dockerode';
import { InvalidInputError } from '../../domain/errors.js';
import type { LogLine } from '../../domain/ports.js';
import { normaliseEngineTime, toUnixNanos } from './engine-time.js';
import { toRuntimeError } from './errors.js';
import { LogLineAssembler } from './log-lines.js';
import { frames, withoutLateErrors } from './stream-frames.js';
import { HOLD_MS, TimeOrder } from './time-order.js';

/**
 * Passes on every line after `since` (exclusive), in order of time, until the container stops, or returns when the
 * signal aborts. The engine's own `since` includes its moment, so the last line seen is asked for again and dropped
 * here: nothing is lost and nothing comes twice.
 * @throws what `onLine` throws; BottleRuntimeError when the connection breaks (retryable: attach again with the last
 * line's time)
 */
export async function followContainerLogs(
  container: Docker.Container,
  name: string,
  since: string | null,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
): Promise<void> {
  let last = since === null ? null : requireTime(since);
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
    } catch (thrown) {
      failure = { thrown };
      stop.abort(thrown);
    }
    last = line.at;
  });
  const timer = setInterval(() => {
    order.releaseIdle();
  }, HOLD_MS);
  try {
    await readLogs(container, last, stop.signal, order, false);
    // The engine may end the stream a moment before it has read the log's last records.
    await readLogs(container, last, stop.signal, order, true);
  } catch (error) {
    if (!stop.signal.aborted) throw toRuntimeError(error, `follow the log of ${name}`);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', forward);
  }
  if (failure !== undefined) throw failure.thrown;
}

async function readLogs(
  container: Docker.Container,
  since: string | null,
  signal: AbortSignal,
  order: TimeOrder,
  flush: boolean,
): Promise<void> {
  signal.throwIfAborted();
  const stream = await container.logs({
    follow: true,
    stdout: true,
    stderr: true,
    timestamps: true,
    abortSignal: signal,
    ...(since === null ? {} : { since: toUnixNanos(since) }),
  });
  const lines = new LogLineAssembler(since, (line) => {
    order.push(line);
  });
  for await (const frame of frames(withoutLateErrors(stream))) {
    signal.throwIfAborted();
    lines.push(frame);
  }
  if (flush) lines.flush();
  order.releaseAll();
}

function requireTime(since: string): string {
  const normalised = normaliseEngineTime(since);
  if (normalised === undefined) {
    throw new InvalidInputError(`not a time stamp of the engine: ${JSON.stringify(since.slice(0, 80))}`);
  }
  return normalised;
}
