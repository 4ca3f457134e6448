import { ByteCursor, MalformedError } from './byte-cursor.js';

export type ClientHello =
  | {
      readonly kind: 'hello';
      /** The one host name, a character a byte, as the client wrote it; `undefined` without one. */
      readonly name: string | undefined;
      /** It may hold another hello, with another name, that only the server can read. */
      readonly hasEncryptedHello: boolean;
    }
  /** `why` is to stand behind "the TLS hello". */
  | { readonly kind: 'bad'; readonly why: string };

const CLIENT_HELLO = 1;
const OLDEST_VERSION = 0x0301;
const NEWEST_VERSION = 0x0303;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** `encrypted_client_hello` (ECH), and `encrypted_server_name` of the drafts before it. */
const ENCRYPTED: ReadonlySet<number> = new Set([0xfe0d, 0xffce]);

/**
 * What a ClientHello says of the host it is for (RFC 8446 §4.1.2, RFC 5246 §7.4.1.2, RFC 6066 §3). Whatever has more
 * than one reading is bad: lengths that do not fit, an extension twice, several names, a hello in several records (which
 * RFC 8446 §5.1 allows, and no client does), anything behind it in its record. Never throws.
 * @param fragment what is in one TLS record of type handshake
 */
export function readClientHello(fragment: Buffer): ClientHello {
  try {
    return read(fragment);
  } catch (error) {
    if (error instanceof MalformedError) return { kind: 'bad', why: error.message };
    throw error;
  }
}

function read(fragment: Buffer): ClientHello {
  const record = new ByteCursor(fragment);
  if (record.number(1) !== CLIENT_HELLO) throw new MalformedError('is another message');
  const length = record.number(3);
  if (length > record.left) throw new MalformedError('is split over several records');
  const hello = new ByteCursor(record.bytes(length));
  record.requireEnd();
  const version = hello.number(2);
  if (version < OLDEST_VERSION || version > NEWEST_VERSION)
    throw new MalformedError('is of an unknown version');
  hello.bytes(32);
  if (hello.vector(1).length > 32) throw new MalformedError('has too long a session id');
  const suites = hello.vector(2).length;
  if (suites === 0 || suites % 2 !== 0) throw new MalformedError('has no list of cipher suites');
  if (hello.vector(1).length === 0) throw new MalformedError('has no list of compressions');
  const extensions = hello.left === 0 ? new Map<number, Buffer>() : readExtensions(hello.vector(2));
  hello.requireEnd();
  const names = extensions.get(SERVER_NAME);
  return {
    kind: 'hello',
    name: names === undefined ? undefined : readName(names),
    hasEncryptedHello: [...extensions.keys()].some((type) => ENCRYPTED.has(type)),
  };
}

function readExtensions(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const cursor = new ByteCursor(bytes);
  const extensions = new Map<number, Buffer>();
  while (cursor.left > 0) {
    const type = cursor.number(2);
    if (extensions.has(type)) throw new MalformedError('has an extension twice');
    extensions.set(type, cursor.vector(2));
  }
  return extensions;
}

function readName(extension: Buffer): string {
  const outer = new ByteCursor(extension);
  const list = new ByteCursor(outer.vector(2));
  outer.requireEnd();
  if (list.number(1) !== HOST_NAME) throw new MalformedError('has a name of an unknown type');
  const name = list.vector(2);
  if (list.left > 0) throw new MalformedError('has several names');
  if (name.length === 0) throw new MalformedError('has an empty name');
  return name.toString('latin1');
}
