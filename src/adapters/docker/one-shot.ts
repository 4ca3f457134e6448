import { setImmediate } from 'node:timers/promises';
import type Docker from 'dockerode';
import { BottleRuntimeError, ContainerOverrunError } from '../../domain/base/errors.js';
import type { OneShotResult, OneShotSpec } from '../../domain/bottle/bottle-runtime.js';
import { joinPieces } from '../../domain/base/join-pieces.js';
import { withinLimit } from '../system/within-limit.js';
import { removeById, removeOurs } from './containers.js';
import { openStream } from './engine-stream.js';
import { abortError, toRuntimeError } from './errors.js';
import { createContainer } from './create-container.js';
import { labelsOf, oneShotName } from './names-and-labels.js';
import { oneShotContainer } from './one-shot-container.js';
import { frames } from './logs/stream-frames.js';
import { waitUntilStopped } from './wait.js';

/** More of standard error is dropped: it is for a message, not for data. */
export const MAX_STDERR_BYTES = 16 * 1024;

/**
 * Runs a throw-away container and takes its standard output. A leftover of the same name (an attempt that was cut
 * off) is removed first, and the container is gone afterwards, whatever happens.
 * @throws an `AbortError` when the signal aborts; ContainerOverrunError, final, when the output is beyond the cap: all
 * of it is discarded. Too late is final for
 * the agent's uid, since a hostile tree would be just as slow again; a remover gets further each time
 */
export async function runOneShot(
  docker: Docker,
  spec: OneShotSpec,
  hostCpus: number,
  host: string | null,
  signal: AbortSignal = new AbortController().signal,
): Promise<OneShotResult> {
  const name = oneShotName(spec.slug, spec.name);
  const labels = labelsOf(spec.slug, 'once', host);
  const options = { ...oneShotContainer(spec, hostCpus), name, Labels: labels };
  await removeOurs(docker, name, spec.slug, 'once');
  let container: Docker.Container;
  try {
    container = await createContainer(docker, options);
  } catch (error) {
    throw toRuntimeError(error, `create ${name}`);
  }
  try {
    return await withinLimit(spec.timeoutMs, signal, (ending) =>
      Promise.race([attachAndRun(docker, container, name, spec), tooLate(spec, name, ending)]),
    );
  } catch (error) {
    if (signal.aborted) throw abortError(signal, `running ${name}`);
    throw toRuntimeError(error, `run ${name}`);
  } finally {
    await removeById(docker, container.id, name);
  }
}

/** Attached before the start, so that no output is missed. */
async function attachAndRun(
  docker: Docker,
  container: Docker.Container,
  name: string,
  spec: OneShotSpec,
): Promise<OneShotResult> {
  const attachment = new AbortController();
  const path = `/containers/${encodeURIComponent(container.id)}/attach?`;
  try {
    const stream = await openStream(
      docker,
      'POST',
      path,
      { stream: '1', stdout: '1', stderr: '1' },
      attachment.signal,
    );
    const [output, exitCode] = await Promise.all([
      collect(stream, spec.maxOutputBytes, name),
      container.start().then(() => waitUntilStopped(docker, container.id, name)),
    ]);
    return { exitCode, ...output };
  } finally {
    // Of a container that could not be started, nobody else would end it.
    attachment.abort();
  }
}

async function collect(
  stream: NodeJS.ReadableStream,
  maxBytes: number,
  name: string,
): Promise<Omit<OneShotResult, 'exitCode'>> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let stdoutBytes = 0;
  let stderrBytes = 0;
  for await (const { stream: from, payload } of frames(stream)) {
    if (from === 'stderr') {
      const kept = payload.subarray(0, MAX_STDERR_BYTES - stderrBytes);
      stderrBytes += kept.length;
      if (kept.length > 0) stderr.push(Buffer.from(kept));
      continue;
    }
    stdoutBytes += payload.length;
    if (stdoutBytes > maxBytes) {
      throw new ContainerOverrunError(
        `${name} wrote more than ${String(maxBytes)} bytes; the output is discarded`,
        false,
      );
    }
    stdout.push(payload);
  }
  return { stdout: await joinPieces(stdout, setImmediate), stderr: Buffer.concat(stderr).toString('utf8') };
}

/** Rejects when its time is over; for one that was called off the caller has an error of its own. */
function tooLate({ user, timeoutMs }: OneShotSpec, name: string, ending: AbortSignal): Promise<never> {
  const why = `${name} was stopped: not done after ${String(timeoutMs)} ms`;
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(user === 'remover' ? new BottleRuntimeError(why, true) : new ContainerOverrunError(why, false));
    };
    if (ending.aborted) end();
    else ending.addEventListener('abort', end);
  });
}
