import type { IncomingMessage } from 'node:http';
import { JoinedBytes } from '../../base/joined-bytes.js';
import type { BodyRoom } from './body-room.js';

export type ReadBody =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly status: 408 | 413 | 415 | 503; readonly why: string }
  /** The client went away. */
  | { readonly kind: 'gone' };

type Refused = Extract<ReadBody, { kind: 'refused' }>;

/** Until it is here whole, ms. */
const BODY_MS = 60_000;

/** A request's body, whole and decoded, or why not. */
export async function readRequestBody(
  request: IncomingMessage,
  maxBytes: number,
  room: BodyRoom,
): Promise<ReadBody> {
  const read = await collected(request, maxBytes, room);
  return read.kind === 'body' ? decoded(read.bytes, request.headers['content-encoding'], maxBytes) : read;
}

function collected(request: IncomingMessage, maxBytes: number, room: BodyRoom): Promise<ReadBody> {
  return new Promise((resolve) => {
    const body = new JoinedBytes();
    let length = 0;
    const finish = (read: ReadBody): void => {
      clearTimeout(timer);
      room.give(length);
      length = 0;
      body.clear();
      request.off('data', onData);
      resolve(read);
    };
    const refuse = (status: Refused['status'], why: string): void => {
      finish({ kind: 'refused', status, why });
    };
    const timer = setTimeout(() => {
      refuse(408, `the body was not here within ${String(BODY_MS / 1000)} s`);
    }, BODY_MS);
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > maxBytes) {
        refuse(413, `a request to a model has at most ${String(maxBytes)} bytes`);
        return;
      }
      if (!room.take(chunk.length)) {
        refuse(503, 'too many large requests at the same time; ask again');
        return;
      }
      length += chunk.length;
      body.add(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      finish({ kind: 'body', bytes: body.whole() });
    });
    request.once('close', () => {
      finish({ kind: 'gone' });
    });
  });
}

async function decoded(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<ReadBody> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '') return { kind: 'body', bytes };
  const [{ brotliDecompress, gunzip, inflate }, { promisify }] = await Promise.all([
    import('node:zlib'),
    import('node:util'),
  ]);
  const options = { maxOutputLength: maxBytes };
  try {
    switch (name) {
      case 'gzip':
      case 'x-gzip':
        return { kind: 'body', bytes: await promisify(gunzip)(bytes, options) };
      case 'deflate':
        return { kind: 'body', bytes: await promisify(inflate)(bytes, options) };
      case 'br':
        return { kind: 'body', bytes: await promisify(brotliDecompress)(bytes, options) };
      default:
        return { kind: 'refused', status: 415, why: 'the body may be gzip, deflate or br, or plain' };
    }
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isLarge
      ? { kind: 'refused', status: 413, why: `a request to a model has at most ${String(maxBytes)} bytes` }
      : { kind: 'refused', status: 415, why: `the body is not ${name}` };
  }
}
