import type Docker from 'dockerode';
import { InvalidInputError } from '../../domain/errors.js';
import type { LogLine } from '../../domain/ports.js';
import { normaliseEngineTime, toUnixNanos } from './engine-time.js';
import { toRuntimeError } from './errors.js';
import { LogLineAssembler } from './log-lines.js';
import { frames, withoutLateErrors } from './stream-frames.js';

/**
 * Passes on every line after `since` (exclusive) until the container stops, or returns when the signal aborts.
 * The engine's own `since` includes its moment, so the last line seen is asked for again and dropped here: nothing is
 * lost and nothing comes twice. The two streams are stamped by different threads of the engine, so order between
 * stdout and stderr within some microseconds is not exact.
 * @throws BottleRuntimeError when the connection breaks (retryable: attach again with the last line's time)
 */
export async function followContainerLogs(
  container: Docker.Container,
  name: string,
  since: string | null,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
): Promise<void> {
  let last = since === null ? null : requireTime(since);
  const remember = (line: LogLine): void => {
    if (last === null || line.at > last) last = line.at;
    onLine(line);
  };
  try {
    await readLogs(container, last, signal, remember, false);
    // The engine may end the stream a moment before it has read the log's last records.
    if (!signal.aborted) await readLogs(container, last, signal, remember, true);
  } catch (error) {
    if (signal.aborted) return;
    throw toRuntimeError(error, `follow the log of ${name}`);
  }
}

async function readLogs(
  container: Docker.Container,
  since: string | null,
  signal: AbortSignal,
  onLine: (line: LogLine) => void,
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
    if (!signal.aborted) onLine(line);
  });
  for await (const frame of frames(withoutLateErrors(stream))) {
    signal.throwIfAborted();
    lines.push(frame);
  }
  if (flush) lines.flush();
}

function requireTime(since: string): string {
  const normalised = normaliseEngineTime(since);
  if (normalised === undefined)
    throw new InvalidInputError(`not a time stamp of the engine: ${JSON.stringify(since.slice(0, 80))}`);
  return normalised;
}
