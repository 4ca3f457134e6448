import { call, CUT_OFF, error, head, NOTHING, post, RESULT, status, type RpcCase } from './rpc-case.js';

const MIB = 1024 * 1024;
const READ = call('read_issue', '{"number":1}');
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = [JSON_TYPE, 'Transfer-Encoding: chunked'];
const REFUSED = status(400);

const bytes = (name: string, answer: RegExp, ...wire: readonly (string | Buffer)[]): RpcCase => ({
  name,
  wire: () => wire.map((piece) => Buffer.from(piece)),
  answer,
});
const headed = (name: string, answer: RegExp, headers: readonly string[], body = READ): RpcCase => ({
  name,
  wire: () => [Buffer.concat([head({ headers }), Buffer.from(body)])],
  answer,
});
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = (name: string, answer: RegExp, body: () => string): RpcCase => ({
  name,
  wire: () => [Buffer.concat([head({ headers: CHUNKED }), Buffer.from(body())])],
  answer,
});
const LENGTH = `Content-Length: ${String(READ.length)}`;

const PLACES: readonly RpcCase[] = [
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'GET'].map((method) => ({
    name: `${method} /rpc`,
    wire: () => [post(READ, { method })],
    answer: status(405),
  })),
  ...['GET', 'DELETE', 'PUT'].map((method) => ({
    name: `${method} /mcp`,
    wire: () => [post('', { method, path: '/mcp' })],
    answer: status(405),
  })),
  { name: 'POST /healthz', wire: () => [post(READ, { path: '/healthz' })], answer: status(405) },
  { name: 'CONNECT', wire: () => [head({ method: 'CONNECT', path: 'bottle:1' })], answer: NOTHING },
  { name: 'a method that is none', wire: () => [post(READ, { method: 'BREW' })], answer: REFUSED },
  ...[
    '/',
    '//rpc',
    '/RPC',
    '/rpc/',
    '/rpc/../rpc',
    '/rpc%00',
    '/%72pc',
    'http://bottle/rpc',
    '/rpc;x',
    '*',
  ].map((path) => ({
    name: `the path ${path}`,
    wire: () => [post(READ, { path })],
    answer: status(404, 400),
  })),
  {
    name: 'a path of a megabyte',
    wire: () => [post(READ, { path: `/${'a'.repeat(MIB)}` })],
    answer: CUT_OFF,
  },
  {
    name: 'a query of 10 kB',
    wire: () => [post(READ, { path: `/rpc?${'a'.repeat(10_000)}` })],
    answer: RESULT,
  },
  ...['text/plain', 'application/json-seq', 'multipart/form-data; boundary=x', 'application/jsonx', ''].map(
    (type) =>
      headed(`the content type ${JSON.stringify(type)}`, status(415), [`Content-Type: ${type}`, LENGTH]),
  ),
  headed('no content type', status(415), [LENGTH]),
  headed('a body that says it is compressed', status(415), [JSON_TYPE, 'Content-Encoding: gzip', LENGTH]),
];

const LENGTHS: readonly RpcCase[] = [
  headed('a length below what comes', REFUSED, [JSON_TYPE, 'Content-Length: 5']),
  headed('a negative length', REFUSED, [JSON_TYPE, 'Content-Length: -1']),
  headed('a length that is no number', REFUSED, [JSON_TYPE, 'Content-Length: 0x20']),
  headed('a length of a terabyte', status(413), [JSON_TYPE, 'Content-Length: 1099511627776']),
  headed('a length beyond all numbers', REFUSED, [JSON_TYPE, `Content-Length: ${'9'.repeat(400)}`]),
  headed('two lengths', REFUSED, [JSON_TYPE, LENGTH, 'Content-Length: 5']),
  headed('a length and chunks', REFUSED, [...CHUNKED, LENGTH]),
  headed('an encoding that is none', REFUSED, [JSON_TYPE, 'Transfer-Encoding: xchunked', LENGTH]),
  headed('chunks that are not last', REFUSED, [JSON_TYPE, 'Transfer-Encoding: chunked, identity']),
  chunked('a chunk whose size is no number', REFUSED, () => 'zz\r\n'),
  chunked('a chunk beyond all numbers', REFUSED, () => `${'f'.repeat(40)}\r\n`),
  chunked('a chunk longer than it says', REFUSED, () => `5\r\n${READ}\r\n0\r\n\r\n`),
  chunked('chunks of a byte', RESULT, () => `${Array.from(READ, chunk).join('')}0\r\n\r\n`),
  {
    ...chunked('300,000 chunks of a byte', error(-32700), () => `${chunk('[').repeat(300_000)}0\r\n\r\n`),
    clients: 3,
  },
  chunked('chunks of more than a request may have', status(413), () => chunk(' '.repeat(MIB)).repeat(3)),
  chunked('a chunk with an extension of a megabyte', CUT_OFF, () => `5;${'x'.repeat(MIB)}\r\n`),
  chunked('trailers that name another length', REFUSED, () => `${chunk(READ)}0\r\nContent-Length: 5\r\n\r\n`),
  chunked('trailers of a megabyte', CUT_OFF, () => `${chunk(READ)}0\r\nX: ${'x'.repeat(MIB)}\r\n\r\n`),
];

const HEADERS: readonly RpcCase[] = [
  headed('a header of 20 kB', status(431), [JSON_TYPE, `X: ${'x'.repeat(20_000)}`, LENGTH]),
  headed(
    'headers without end',
    CUT_OFF,
    Array.from({ length: 200_000 }, (_, at) => `X-${String(at)}: x`),
  ),
  headed('1,500 headers', RESULT, [JSON_TYPE, LENGTH, ...Array<string>(1_500).fill('X: x')]),
  headed('the same header 500 times', RESULT, [LENGTH, ...Array<string>(500).fill(JSON_TYPE)]),
  headed('a header without a colon', REFUSED, [JSON_TYPE, 'nothing', LENGTH]),
  headed('a header with a NUL', REFUSED, [JSON_TYPE, 'X: a\0b', LENGTH]),
  headed('a name with a blank', REFUSED, [JSON_TYPE, 'X y: z', LENGTH]),
  headed('a folded header', REFUSED, [`Content-Type:\r\n application/json`, ' x', LENGTH]),
  headed('the header __proto__', RESULT, [JSON_TYPE, '__proto__: x', 'constructor: y', LENGTH]),
  headed('what it expects is to go on', /^HTTP\/1\.1 100 [^]*HTTP\/1\.1 200 [^]*"result"/, [
    JSON_TYPE,
    'Expect: 100-continue',
    LENGTH,
  ]),
  headed('another protocol from here on', RESULT, [
    JSON_TYPE,
    'Connection: Upgrade',
    'Upgrade: websocket',
    LENGTH,
  ]),
  bytes('no host', REFUSED, `POST /rpc HTTP/1.1\r\n${JSON_TYPE}\r\n${LENGTH}\r\n\r\n${READ}`),
  bytes('HTTP 1.0', RESULT, `POST /rpc HTTP/1.0\r\n${JSON_TYPE}\r\n${LENGTH}\r\n\r\n${READ}`),
  bytes('HTTP 9.9', REFUSED, `POST /rpc HTTP/9.9\r\n\r\n`),
  bytes('HTTP 0.9', status(405), 'GET /rpc\r\n\r\n'),
];

const OTHER_PROTOCOLS: readonly RpcCase[] = [
  bytes('the preface of HTTP/2', REFUSED, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  bytes('a hello of TLS', REFUSED, Buffer.from('16030100c8010000c40303', 'hex')),
  bytes('what SSH says first', REFUSED, 'SSH-2.0-OpenSSH_9.2\r\n'),
  bytes('JSON without HTTP', REFUSED, READ),
  { name: 'a megabyte of NULs', wire: () => [Buffer.alloc(MIB)], answer: CUT_OFF },
  { name: 'a line without end', wire: () => [Buffer.alloc(4 * MIB, 'A')], answer: CUT_OFF },
  { name: 'line ends without end', wire: () => [Buffer.alloc(MIB, '\r\n')], answer: NOTHING, then: 'leaves' },
];

const FOLLOWING: readonly RpcCase[] = [
  bytes('a request after the request', RESULT, Buffer.concat([post(READ), post(READ)])),
  bytes(
    'a request that is hidden in the body of one that is refused',
    status(415),
    // In one piece: whoever writes on after the answer may never see it.
    Buffer.concat([head({ headers: [] }), post(READ)]),
  ),
  { name: 'headers, and away', wire: () => [head().subarray(0, 30)], answer: NOTHING, then: 'leaves' },
  {
    name: 'half a body, and away',
    wire: () => [post(READ).subarray(0, -10)],
    answer: NOTHING,
    then: 'leaves',
  },
];

/** HTTP that is wrong, or too much. */
export const HTTP: readonly RpcCase[] = [...PLACES, ...LENGTHS, ...HEADERS, ...OTHER_PROTOCOLS, ...FOLLOWING];
