import type Docker from 'dockerode';

interface DialOptions {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly isStream: true;
  readonly options: Record<string, string>;
  readonly statusCodes: Readonly<Record<number, true | string>>;
}
interface Dialer {
  dial(options: DialOptions, callback: (error: unknown, body: EngineStream | null) => void): void;
}
export type EngineStream = NodeJS.ReadableStream & { destroy(): void };

/**
 * An engine call whose answer is read as it comes, ended by the signal. Not by dockerode's own methods: `wait` never
 * settles when the engine goes away after the headers, `logs` without `follow` takes all into memory, and an abort
 * signal given to either emits its error on a stream that nobody listens to any more, which ends the process.
 */
export async function openStream(
  docker: Docker,
  method: 'GET' | 'POST',
  path: string,
  options: Record<string, string>,
  signal: AbortSignal,
): Promise<EngineStream> {
  signal.throwIfAborted();
  return new Promise<EngineStream>((resolve, reject) => {
    const aborted = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', aborted, { once: true });
    const statusCodes = {
      200: true,
      400: 'bad parameter',
      404: 'no such container',
      500: 'server error',
    } as const;
    (docker.modem as Dialer).dial({ path, method, isStream: true, options, statusCodes }, (error, stream) => {
      signal.removeEventListener('abort', aborted);
      if (stream === null || error instanceof Error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      endWith(stream, signal);
      resolve(stream);
    });
  });
}

/** Destroys the stream, and with it the connection, when the signal aborts; whoever reads gets an error. */
export function endWith(stream: EngineStream, signal: AbortSignal): void {
  const end = (): void => {
    stream.destroy();
  };
  withoutLateErrors(stream).once('close', () => {
    signal.removeEventListener('abort', end);
  });
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
}

/**
 * A response may emit an error after the loop that read it has been left; without a listener that ends the process.
 * Whoever still reads gets it all the same.
 */
export function withoutLateErrors<T extends NodeJS.ReadableStream>(stream: T): T {
  stream.on('error', () => undefined);
  return stream;
}
