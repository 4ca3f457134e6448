import { head, NOTHING, post, status, type Manner, type RpcCase } from './rpc-case.js';

const slow = (name: string, then: Manner, ...pieces: readonly (Buffer | string)[]): RpcCase => ({
  name,
  wire: () => pieces.map((piece) => Buffer.from(piece)),
  answer: NOTHING,
  then,
});
const drip = (text: string): Manner => ({ drip: Buffer.from(text) });
const whole = post('{"jsonrpc":"2.0","id":1,"method":"read_issue","params":{"number":1}}');
const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
const LONG = ['Content-Type: application/json', 'Content-Length: 1000000'];

/** Requests that never arrive whole, or more than is read: the sidecar ends each connection when its time is over. */
export const SLOW: readonly RpcCase[] = [
  slow('a connection, and silence', 'is silent'),
  slow('half a request line', 'is silent', 'POST /r'),
  slow('a path that goes on and on', drip('a'), 'POST /'),
  slow('headers that go on and on', drip('X: y\r\n'), head().subarray(0, -2)),
  slow('headers, and silence', 'is silent', head({ headers: LONG })),
  slow('a body that lacks a byte', 'is silent', whole.subarray(0, -1)),
  slow('a body that comes a byte at a time', drip(' '), head({ headers: LONG })),
  slow('chunks that come a byte at a time', drip('1\r\n \r\n'), head({ headers: CHUNKED })),
  slow('a chunk that does not end', drip(' '), head({ headers: CHUNKED }), 'fffff\r\n'),
  slow('chunks without the last one', 'is silent', head({ headers: CHUNKED }), '2\r\n{}\r\n'),
  {
    name: '2,000 requests after the request',
    wire: () => [whole, Buffer.concat(Array<Buffer>(2_000).fill(whole))],
    answer: status(200),
  },
  {
    name: 'what it expects is nothing that there is',
    wire: () => [post('{}', { headers: ['Content-Type: application/json', 'Expect: money'] })],
    answer: status(417),
  },
];
