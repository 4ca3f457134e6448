import { connect, type NetConnectOpts } from 'node:net';

/**
 * Sends a whole request before it reads anything, as Python's `requests` does, and gives all that comes back. Errors: what the
 * connection was broken with, while it was still sending or later.
 */
export function allSentFirst(where: NetConnectOpts, request: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(where);
    socket.setEncoding('latin1');
    socket.pause();
    socket.write(request, () => {
      socket.resume();
      socket.on('data', (chunk: string) => {
        answer += chunk;
      });
    });
    socket.once('error', reject);
    socket.once('end', () => {
      resolve(answer);
    });
  });
}

/** A request with a body of so many bytes, in one piece. */
export function largePost(path: string, bytes: number, framing: 'length' | 'chunked'): Buffer {
  const [header, size] =
    framing === 'length'
      ? [`Content-Length: ${String(bytes)}`, '']
      : ['Transfer-Encoding: chunked', `${bytes.toString(16)}\r\n`];
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n${size}`;
  const end = framing === 'length' ? '' : '\r\n0\r\n\r\n';
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'x'), Buffer.from(end)]);
}
