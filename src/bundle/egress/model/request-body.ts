import type { IncomingMessage } from 'node:http';
import { JoinedBytes } from '../../../domain/base/joined-bytes.js';
import { decoderOf, UnknownEncodingError } from '../decoder.js';
import type { Hold } from './body-room.js';

export type PlainBody =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly status: 408 | 413 | 415 | 503; readonly why: string };

/** Or the client went away. */
export type ReadBody = PlainBody | { readonly kind: 'gone' };

type Refused = Extract<PlainBody, { kind: 'refused' }>;

/** Until it is here whole, ms. */
const BODY_MS = 60_000;

/** A request's body, whole, or why not. @param hold grows by it, until the caller gives it back */
export function readRequestBody(request: IncomingMessage, maxBytes: number, hold: Hold): Promise<ReadBody> {
  return new Promise((resolve) => {
    const body = new JoinedBytes();
    const finish = (read: ReadBody): void => {
      clearTimeout(timer);
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
      if (!hold.take(chunk.length)) {
        finish(noRoom());
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

/** The same, unpacked. @param encoding the header's value, if there is one */
export async function unpackBody(
  bytes: Uint8Array,
  maxBytes: number,
  hold: Hold,
  encoding = '',
): Promise<PlainBody> {
  try {
    const decoder = await decoderOf(encoding);
    if (decoder === undefined) return { kind: 'body', bytes };
    const body = new JoinedBytes();
    decoder.end(bytes);
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      if (body.length + chunk.length > maxBytes) return tooLarge(maxBytes);
      if (!hold.take(chunk.length)) return noRoom();
      body.add(chunk);
    }
    hold.give(bytes.length);
    return { kind: 'body', bytes: body.whole() };
  } catch (error) {
    const isUnknown = error instanceof UnknownEncodingError;
    const why = isUnknown
      ? 'the body may be gzip, deflate or br, or plain'
      : `the body is not ${encoding.trim().toLowerCase()}`;
    return { kind: 'refused', status: 415, why };
  }
}

export function noRoom(): Refused {
  return { kind: 'refused', status: 503, why: 'too many large requests at the same time; ask again' };
}

function tooLarge(maxBytes: number): Refused {
  return { kind: 'refused', status: 413, why: `a request to a model has at most ${String(maxBytes)} bytes` };
}
