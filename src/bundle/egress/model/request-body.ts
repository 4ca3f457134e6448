import type { IncomingMessage } from 'node:http';
import { JoinedBytes } from '../../base/joined-bytes.js';
import { decoderOf, UnknownEncodingError } from '../decoder.js';
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
  return read.kind === 'body' ? decoded(read.bytes, maxBytes, request.headers['content-encoding']) : read;
}

function collected(request: IncomingMessage, maxBytes: number, room: BodyRoom): Promise<ReadBody> {
  return new Promise((resolve) => {
    const body = new JoinedBytes();
    const finish = (read: ReadBody): void => {
      clearTimeout(timer);
      room.give(body.length);
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
      if (body.length + chunk.length > maxBytes) {
        finish(tooLarge(maxBytes));
        return;
      }
      if (!room.take(chunk.length)) {
        refuse(503, 'too many large requests at the same time; ask again');
        return;
      }
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

async function decoded(bytes: Buffer, maxBytes: number, encoding = ''): Promise<ReadBody> {
  try {
    const decoder = await decoderOf(encoding);
    if (decoder === undefined) return { kind: 'body', bytes };
    const body = new JoinedBytes();
    decoder.end(bytes);
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      if (body.length + chunk.length > maxBytes) return tooLarge(maxBytes);
      body.add(chunk);
    }
    return { kind: 'body', bytes: body.whole() };
  } catch (error) {
    const isUnknown = error instanceof UnknownEncodingError;
    const why = isUnknown
      ? 'the body may be gzip, deflate or br, or plain'
      : `the body is not ${encoding.trim().toLowerCase()}`;
    return { kind: 'refused', status: 415, why };
  }
}

function tooLarge(maxBytes: number): Refused {
  return { kind: 'refused', status: 413, why: `a request to a model has at most ${String(maxBytes)} bytes` };
}
