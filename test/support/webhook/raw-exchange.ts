import { connect } from 'node:net';

/** Writes bytes to a socket as they are, optionally ends it, and gives all that comes back until the server closes. */
export function rawExchange(port: number, bytes: string | Uint8Array, end = false): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => {
      socket.end();
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
