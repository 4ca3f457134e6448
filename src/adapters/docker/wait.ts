import type Docker from 'dockerode';
import { BottleRuntimeError } from '../../domain/errors.js';
import { abortError, toRuntimeError } from './errors.js';

interface DialOptions {
  readonly path: string;
  readonly method: 'POST';
  readonly isStream: true;
  readonly options: Record<string, string>;
  readonly abortSignal?: AbortSignal;
  readonly statusCodes: Readonly<Record<number, true | string>>;
}
interface Dialer {
  dial(options: DialOptions, callback: (error: unknown, body: AsyncIterable<Buffer> | null) => void): void;
}

const MAX_ANSWER = 64 * 1024;

/**
 * Exit code once the container is not running; at once when it isn't. The answer is read as a stream: dockerode's
 * `wait` never settles when the engine goes away after it has sent the headers.
 * @throws an `AbortError` when the signal aborts; BottleRuntimeError
 */
export async function waitUntilStopped(docker: Docker, id: string, name: string, signal?: AbortSignal): Promise<number> {
  try {
    signal?.throwIfAborted();
    const answer: unknown = JSON.parse(await post(docker, `/containers/${encodeURIComponent(id)}/wait?`, signal));
    if (typeof answer === 'object' && answer !== null && 'StatusCode' in answer && typeof answer.StatusCode === 'number') {
      return answer.StatusCode;
    }
    throw new BottleRuntimeError(`the engine gave no exit code of ${name}`, true);
  } catch (error) {
    if (signal?.aborted === true) throw abortError(signal, `waiting for ${name}`);
    if (error instanceof SyntaxError) {
      throw new BottleRuntimeError(`the engine went away while ${name} was waited for`, true, { cause: error });
    }
    throw toRuntimeError(error, `wait for ${name}`);
  }
}

async function post(docker: Docker, path: string, signal: AbortSignal | undefined): Promise<string> {
  const body = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    (docker.modem as Dialer).dial(
      {
        path,
        method: 'POST',
        isStream: true,
        options: {},
        statusCodes: { 200: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' },
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
      (error, stream) => {
        if (stream !== null && !(error instanceof Error)) resolve(stream);
        else reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    if ((bytes += chunk.length) > MAX_ANSWER) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
