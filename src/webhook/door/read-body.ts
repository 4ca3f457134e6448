import type { IncomingMessage } from 'node:http';
import { JoinedBytes } from '../../domain/base/joined-bytes.js';

export type BodyRead =
  | { readonly kind: 'complete'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** The connection ended before the announced length. */
  | { readonly kind: 'truncated' };

/**
 * Reads a request's raw bytes up to a cap. Stops reading at the cap, and does not begin when the announced length is
 * beyond it; what the announcement says is otherwise not believed, the bytes are counted.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    return Promise.resolve({ kind: 'too_large' });
  return new Promise((resolve) => {
    const body = new JoinedBytes();
    const settle = (result: BodyRead): void => {
      request.off('data', onData).off('end', onEnd).off('close', onCut).off('error', onCut);
      // An error after this (the client went away) concerns nobody.
      request.on('error', () => undefined);
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      if (body.length + chunk.length > maxBytes) {
        request.pause();
        settle({ kind: 'too_large' });
      } else {
        body.add(chunk);
      }
    };
    const onEnd = (): void => {
      settle(request.complete ? { kind: 'complete', bytes: body.whole() } : { kind: 'truncated' });
    };
    const onCut = (): void => {
      settle({ kind: 'truncated' });
    };
    request.on('data', onData).on('end', onEnd).on('close', onCut).on('error', onCut);
  });
}
