import type Docker from 'dockerode';
import { BottleRuntimeError } from '../../domain/errors.js';
import { abortError, toRuntimeError } from './errors.js';
import { withoutLateErrors } from './stream-frames.js';

interface DialOptions {
  readonly path: string;
  readonly method: 'POST';
  readonly isStream: true;
  readonly options: Record<string, string>;
  readonly abortSignal?: AbortSignal;
  readonly statusCodes: Readonly<Record<number, true | string>>;
}
interface Dialer {
  dial(options: DialOptions, callback: (error: unknown, body: NodeJS.ReadableStream | null) => void): void;
}

export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly condition?: 'not-running' | 'removed';
}

const MAX_ANSWER = 64 * 1024;

/**
 * Exit code once the container is not running; at once when it isn't. The answer is read as a stream: dockerode's
 * `wait` never settles when the engine goes away after it has sent the headers.
 * @throws an `AbortError` when the signal aborts; BottleRuntimeError
 */
export async function waitUntilStopped(
  docker: Docker,
  id: string,
  name: string,
  options: WaitOptions = {},
): Promise<number> {
  const { signal, condition = 'not-running' } = options;
  try {
    signal?.throwIfAborted();
    const answer: unknown = JSON.parse(await post(docker, id, condition, signal));
    if (
      typeof answer === 'object' &&
      answer !== null &&
      'StatusCode' in answer &&
      typeof answer.StatusCode === 'number'
    ) {
      return answer.StatusCode;
    }
    throw new BottleRuntimeError(`the engine gave no exit code of ${name}`, true);
  } catch (error) {
    if (signal?.aborted === true) throw abortError(signal, `waiting for ${name}`);
    if (error instanceof SyntaxError) {
      throw new BottleRuntimeError(`the engine went away while ${name} was waited for`, true, {
        cause: error,
      });
    }
    throw toRuntimeError(error, `wait for ${name}`);
  }
}

async function post(
  docker: Docker,
  id: string,
  condition: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const body = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    (docker.modem as Dialer).dial(
      {
        path: `/containers/${encodeURIComponent(id)}/wait?`,
        method: 'POST',
        isStream: true,
        options: { condition },
        statusCodes: { 200: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' },
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
      (error, stream) => {
        if (stream !== null && !(error instanceof Error)) resolve(stream);
        else reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
  let text = '';
  for await (const chunk of withoutLateErrors(body)) {
    text += chunk.toString();
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}
