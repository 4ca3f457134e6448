import type Docker from 'dockerode';
import { isRecord } from '../../domain/base/is-record.js';
import { BottleRuntimeError } from '../../domain/base/errors.js';
import { openStream } from './engine-stream.js';
import { abortError, toRuntimeError } from './errors.js';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly condition?: 'not-running' | 'removed';
}

const MAX_ANSWER = 64 * 1024;

/**
 * Exit code once the container is not running; at once when it isn't.
 * @throws an `AbortError` when the signal aborts; BottleRuntimeError
 */
export async function waitUntilStopped(
  docker: Docker,
  id: string,
  name: string,
  options: WaitOptions = {},
): Promise<number> {
  const { signal = new AbortController().signal, condition = 'not-running' } = options;
  try {
    const path = `/containers/${encodeURIComponent(id)}/wait?`;
    const answer: unknown = JSON.parse(
      await readAll(await openStream(docker, 'POST', path, { condition }, signal)),
    );
    if (isRecord(answer) && typeof answer['StatusCode'] === 'number') return answer['StatusCode'];
    throw new BottleRuntimeError(`the engine gave no exit code of ${name}`, true);
  } catch (error) {
    if (signal.aborted) throw abortError(signal, `waiting for ${name}`);
    if (error instanceof SyntaxError) {
      throw new BottleRuntimeError(`the engine went away while ${name} was waited for`, true, {
        cause: error,
      });
    }
    throw toRuntimeError(error, `wait for ${name}`);
  }
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += chunk.toString();
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}
