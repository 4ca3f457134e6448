/** TLS hellos made by hand, so that a test can make them wrong. */
import { randomBytes } from 'node:crypto';

export const SERVER_NAME = 0;
export const HRR_RANDOM = Buffer.from(
  'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c',
  'hex',
);

export type Extension = readonly [type: number, data: Buffer];

/** A vector: its length in so many bytes, then itself. */
export function vector(size: 1 | 2 | 3, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(size);
  length.writeUIntBE(body.length, 0, size);
  return Buffer.concat([length, body]);
}

/** One entry of type host name each. */
export function serverName(...names: readonly (string | Buffer)[]): Extension {
  const entries = names.flatMap((name) => [
    Buffer.from([0]),
    vector(2, typeof name === 'string' ? Buffer.from(name, 'latin1') : name),
  ]);
  return [SERVER_NAME, vector(2, ...entries)];
}

/** supported_versions, supported_groups, signature_algorithms and key_share, as any client of today has them. */
export const USUAL: readonly Extension[] = [
  [0x2b, vector(1, Buffer.from([3, 4, 3, 3]))],
  [0x0a, vector(2, Buffer.from([0, 0x1d]))],
  [0x0d, vector(2, Buffer.from([4, 3, 8, 4]))],
  [0x33, vector(2, Buffer.from([0, 0x1d]), vector(2, Buffer.alloc(32, 9)))],
];

export interface HelloParts {
  readonly extensions?: readonly Extension[];
  readonly version?: number;
  readonly sessionId?: Buffer;
  readonly suites?: Buffer;
  readonly compressions?: Buffer;
  /** Behind the extensions, within the message. */
  readonly tail?: Buffer;
}

/** The message, with its type and length. */
export function clientHello(parts: HelloParts): Buffer {
  const { extensions = [], version = 0x0303, tail = Buffer.alloc(0) } = parts;
  const body = Buffer.concat([
    Buffer.from([version >> 8, version & 255]),
    randomBytes(32),
    vector(1, parts.sessionId ?? Buffer.alloc(32, 7)),
    vector(2, parts.suites ?? Buffer.from([0x13, 1, 0xc0, 0x2f])),
    vector(1, parts.compressions ?? Buffer.from([0])),
    ...(extensions.length === 0 ? [] : [extensionList(extensions)]),
    tail,
  ]);
  return Buffer.concat([Buffer.from([1]), vector(3, body)]);
}

export function extensionList(extensions: readonly Extension[]): Buffer {
  return vector(
    2,
    ...extensions.map(([type, data]) =>
      Buffer.concat([Buffer.from([type >> 8, type & 255]), vector(2, data)]),
    ),
  );
}

export function record(payload: Buffer, type = 22, version = 0x0301): Buffer {
  return Buffer.concat([Buffer.from([type, version >> 8, version & 255]), vector(2, payload)]);
}

/** What a client with nothing special about it sends first. */
export function helloFor(name: string, ...more: readonly Extension[]): Buffer {
  return record(clientHello({ extensions: [serverName(name), ...USUAL, ...more] }));
}

/** @param random `HRR_RANDOM` to ask for another hello */
export function serverHello(random: Buffer = Buffer.alloc(32, 5)): Buffer {
  const suite = Buffer.from([0x13, 1, 0]);
  const extensions = extensionList([[0x2b, Buffer.from([3, 4])]]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    random,
    vector(1, Buffer.alloc(32, 7)),
    suite,
    extensions,
  ]);
  return record(Buffer.concat([Buffer.from([2]), vector(3, body)]), 22, 0x0303);
}

export const SERVER_HELLO = serverHello();
