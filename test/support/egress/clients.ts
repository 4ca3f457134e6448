import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { helloFor, SERVER_HELLO } from './hellos.js';

export interface Connected {
  readonly status: number;
  /** What came with the refusal; empty for a tunnel. */
  readonly text: string;
  /** The tunnel. */
  readonly socket: Socket;
}

/** CONNECT over a Unix socket. */
export function connectThrough(socketPath: string, authority: string): Promise<Connected> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method: 'CONNECT', path: authority });
    request.on('error', reject);
    request.on('connect', (response, socket: Socket, head: Buffer) => {
      const status = response.statusCode ?? 0;
      socket.on('error', () => undefined);
      if (status === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve({ status, text: '', socket });
        return;
      }
      let text = head.toString();
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => {
        socket.destroy();
        resolve({ status, text, socket });
      });
    });
    request.end();
  });
}

/**
 * A tunnel in which the hellos of TLS have passed, so that what follows may be any bytes. The server is one of
 * `greeted`. @param hello its name is the host's
 */
export async function openTunnel(socketPath: string, authority: string): Promise<Connected> {
  const connected = await connectThrough(socketPath, authority);
  if (connected.status !== 200) return connected;
  connected.socket.write(helloFor(authority.split(':')[0] ?? ''));
  while (connected.socket.read(SERVER_HELLO.length) === null) await once(connected.socket, 'readable');
  return connected;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

/** One request over a Unix socket; the path goes as it is. */
export function ask(
  socketPath: string,
  path: string,
  { method = 'GET', headers = {}, body }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath, method, path, headers: headers as http.OutgoingHttpHeaders, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const whole = Buffer.concat(chunks);
          const { statusCode: status = 0, headers: got, rawHeaders } = response;
          resolve({ status, headers: got, rawHeaders, body: whole, text: whole.toString() });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Writes bytes as they are and gives all that comes back until the other side closes. */
export function rawOver(socketPath: string, bytes: string | Buffer, end = false): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ path: socketPath, allowHalfOpen: true }, () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer);
    });
  });
}

/** Everything from a socket until it ends. */
export function drained(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    socket.once('error', reject);
  });
}
