/** What a client may send first in a tunnel to `HOST`, none of which may reach the host. */
import {
  clientHello,
  extensionList,
  helloFor,
  record,
  serverName,
  USUAL,
  vector,
  type Extension,
  type HelloParts,
} from './hellos.js';

export const HOST = 'files.example.org';
const FOREIGN = 'evil.example';

export interface HelloCase {
  readonly name: string;
  readonly bytes: Buffer;
  /** What stands in the log. */
  readonly why: RegExp;
}

const good = serverName(HOST);
const withExtensions = (...extensions: readonly Extension[]): Buffer => record(clientHello({ extensions }));
const withParts = (parts: HelloParts): Buffer =>
  record(clientHello({ extensions: [good, ...USUAL], ...parts }));
const named = (name: string | Buffer): Buffer => withExtensions(serverName(name), ...USUAL);
const rawName = (data: Buffer): Buffer => withExtensions([0, data], ...USUAL);
const ENTRY = vector(2, Buffer.from(HOST));
const MESSAGE = clientHello({ extensions: [good, ...USUAL] });
const ech = (type: number): Extension => [type, Buffer.alloc(200, 3)];

/** The message cut into records at these places. */
function inRecords(...at: readonly number[]): Buffer {
  const cuts = [0, ...at, MESSAGE.length];
  return Buffer.concat(cuts.slice(1).map((end, index) => record(MESSAGE.subarray(cuts[index], end))));
}

/** A byte of a good hello replaced; from the end when negative. */
function patched(at: number, byte: number): Buffer {
  const bytes = helloFor(HOST);
  bytes[at < 0 ? bytes.length + at : at] = byte;
  return bytes;
}

const NAME_AT = MESSAGE.indexOf(HOST);

const CASES: readonly (readonly [name: string, bytes: Buffer, why: RegExp])[] = [
  ['a foreign name', helloFor(FOREIGN), /for "evil\.example"/],
  ['a foreign name in capitals', helloFor(FOREIGN.toUpperCase()), /for "EVIL\.EXAMPLE"/],
  ['a name below the host', helloFor(`x.${HOST}`), /for "x\.files/],
  ['the name above the host', helloFor('example.org'), /for "example\.org"/],
  ['a name that begins as the host', helloFor(`${HOST}.${FOREIGN}`), /for "files/],
  ['a dot at the end', helloFor(`${HOST}.`), /for "files\.example\.org\."/],
  ['a NUL and a foreign name behind it', named(`${HOST}\0.${FOREIGN}`), /for "files/],
  ['a NUL at the end', named(`${HOST}\0`), /for "files/],
  ['a space at the end', named(`${HOST} `), /for "files/],
  ['a port behind the name', named(`${HOST}:443`), /for "files/],
  ['a line end and a request behind the name', named(`${HOST}\r\nGET / HTTP/1.1`), /for "files/],
  ['a letter that is none in ASCII', named(Buffer.from('fıles.example.org')), /for "f/],
  ['a long s that case folding makes an s', named(Buffer.from('fileſ.example.org')), /for "file/],
  ['a letter in latin1', named('f\xecles.example.org'), /for "f/],
  ['an IPv4 address', helloFor('127.0.0.1'), /for "127/],
  ['an IPv6 address', helloFor('::1'), /for "::1"/],
  ['an asterisk', helloFor('*.example.org'), /for "\*/],
  ['a name of 16,000 bytes', named('a'.repeat(16_000)), /for "aaa/],
  ['an empty name', named(''), /empty name/],
  ['no name', withExtensions(...USUAL), /names no host/],
  ['no extensions at all', record(clientHello({})), /names no host/],
  ['an empty list of names', rawName(vector(2)), /wrong/],
  ['an empty extension for the name', rawName(Buffer.alloc(0)), /wrong/],
  ['two names, the good one first', withExtensions(serverName(HOST, FOREIGN), ...USUAL), /several names/],
  ['two names, the good one last', withExtensions(serverName(FOREIGN, HOST), ...USUAL), /for "evil|several/],
  ['the good name twice', withExtensions(serverName(HOST, HOST), ...USUAL), /several names/],
  ['a name of another type', rawName(vector(2, Buffer.from([1]), ENTRY)), /unknown type/],
  [
    'something behind the list of names',
    rawName(Buffer.concat([good[1], Buffer.from([0])])),
    /behind its end/,
  ],
  ['a list of names that is too long', rawName(Buffer.concat([Buffer.from([0, 99, 0]), ENTRY])), /wrong/],
  [
    'a list of names that ends within the name',
    rawName(Buffer.concat([Buffer.from([0, 5, 0]), ENTRY])),
    /behind its end/,
  ],
  ['the extension twice, the good one first', withExtensions(good, serverName(FOREIGN), ...USUAL), /twice/],
  ['the extension twice, the good one last', withExtensions(serverName(FOREIGN), ...USUAL, good), /twice/],
  [
    'another extension twice',
    withExtensions(good, ...USUAL, [0x2a2a, Buffer.alloc(0)], [0x2a2a, Buffer.alloc(1)]),
    /twice/,
  ],
  ['an encrypted hello', withExtensions(good, ...USUAL, ech(0xfe0d)), /ECH/],
  ['an encrypted name of the old drafts', withExtensions(good, ...USUAL, ech(0xffce)), /ECH/],
  ['an encrypted hello and a foreign name', withExtensions(serverName(FOREIGN), ech(0xfe0d)), /for "evil/],
  ['a hello cut into records within the name', inRecords(NAME_AT + 5), /split/],
  ['a hello cut into records before the name', inRecords(NAME_AT), /split/],
  ['a hello cut behind its type', inRecords(1), /wrong|split/],
  ['a hello with a record for each byte', inRecords(...Array.from(MESSAGE.keys()).slice(1)), /wrong|split/],
  ['an empty record before the hello', Buffer.concat([record(Buffer.alloc(0)), helloFor(HOST)]), /no TLS/],
  [
    'another record between two halves',
    Buffer.concat([
      record(MESSAGE.subarray(0, 50)),
      record(Buffer.from([1]), 20),
      record(MESSAGE.subarray(50)),
    ]),
    /split/,
  ],
  [
    'two hellos in one record',
    record(Buffer.concat([MESSAGE, clientHello({ extensions: [serverName(FOREIGN)] })])),
    /behind its end/,
  ],
  [
    'a warning before the hello',
    Buffer.concat([record(Buffer.from([1, 0]), 21), helloFor(HOST)]),
    /no TLS hello/,
  ],
  [
    'a change of ciphers before the hello',
    Buffer.concat([record(Buffer.from([1]), 20), helloFor(HOST)]),
    /no TLS hello/,
  ],
  [
    'early data before the hello',
    Buffer.concat([record(Buffer.alloc(50), 23), helloFor(HOST)]),
    /no TLS hello/,
  ],
  ['a server’s hello', record(Buffer.concat([Buffer.from([2]), MESSAGE.subarray(1)])), /another message/],
  ['a heartbeat', record(Buffer.from([1, 64, 0]), 24), /no TLS/],
  ['a message longer than it is', patched(8, 255), /split/],
  ['a message shorter than it is', patched(8, 20), /wrong|behind|no list|version|long/],
  ['a session id that is too long', withParts({ sessionId: Buffer.alloc(33) }), /session id/],
  ['a session id beyond the end', patched(43, 255), /wrong|session/],
  ['no cipher suites', withParts({ suites: Buffer.alloc(0) }), /cipher suites/],
  ['half a cipher suite', withParts({ suites: Buffer.alloc(3) }), /cipher suites/],
  ['no compressions', withParts({ compressions: Buffer.alloc(0) }), /compressions/],
  [
    'something behind the extensions',
    withParts({ tail: extensionList([serverName(FOREIGN)]) }),
    /behind its end/,
  ],
  ['extensions beyond the end', patched(-39, 255), /wrong|twice/],
  ['SSL 3', record(clientHello({ extensions: [good], version: 0x0300 }), 22, 0x0300), /no TLS/],
  ['a version of the hello that nobody knows', withParts({ version: 0x0304 }), /unknown version/],
  ['a record of TLS 1.3’s number', record(MESSAGE, 22, 0x0304), /no TLS/],
  [
    'a record of more than a record has',
    record(clientHello({ extensions: [good, [21, Buffer.alloc(20_000)]] })),
    /no TLS/,
  ],
  [
    'a hello of SSL 2',
    Buffer.concat([Buffer.from([0x80, 46, 1, 3, 1, 0, 3, 0, 0, 0, 32, 0, 0, 0x2f]), Buffer.alloc(34)]),
    /no TLS/,
  ],
  ['a request of HTTP', Buffer.from(`GET / HTTP/1.1\r\nhost: ${FOREIGN}\r\n\r\n`), /no TLS/],
  ['the preface of HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), /no TLS/],
  ['a banner of SSH', Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'), /no TLS/],
  ['zeros', Buffer.alloc(1000), /no TLS/],
];

export const HOSTILE_HELLOS: readonly HelloCase[] = CASES.map(([name, bytes, why]) => ({ name, bytes, why }));
