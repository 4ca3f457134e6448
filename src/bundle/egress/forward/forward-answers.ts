/** What the forward proxy itself says to its clients, and how it passes on what servers say. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerLast } from '../../base/last-answer.js';
import { endToEnd, flatHeaders } from '../headers.js';
import { REFUSED } from './refusal.js';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: REFUSED,
  429: 'Too Many Requests',
  502: 'Bad Gateway',
};

/** A client that was refused has this long to read it, ms. */
const LINGER_MS = 1000;

/** To a CONNECT, which Node leaves to us. */
export function answerRaw(client: Duplex, status: number, text: string): void {
  const bytes = Buffer.byteLength(text);
  endReadably(
    client,
    `HTTP/1.1 ${String(status)} ${REASONS[status] ?? 'Error'}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
      `content-length: ${String(bytes)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

/** RFC 8446 §6.2: fatal, `access_denied`; TLS clients of all versions show it by this name. */
const ACCESS_DENIED = Buffer.from([21, 3, 1, 0, 2, 2, 49]);

/** To a client that has its tunnel. One that speaks no TLS reads the end. */
export function denyTls(client: Duplex): void {
  endReadably(client, ACCESS_DENIED);
}

/** The client's side may have more to say; closing on that would take back what it has not read yet. */
function endReadably(client: Duplex, last: string | Buffer): void {
  client.end(last);
  client.resume();
  const timer = setTimeout(() => client.destroy(), LINGER_MS);
  client.once('close', () => {
    clearTimeout(timer);
  });
}

/** @returns false for a head that cannot be passed on: a status beyond three digits, characters that no header has */
export function passHead(incoming: IncomingMessage, response: ServerResponse): boolean {
  try {
    response.writeHead(incoming.statusCode ?? 502, flatHeaders(endToEnd(incoming.rawHeaders)));
    return true;
  } catch {
    return false;
  }
}

/** Instead of the server. */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  answerLast(request, response, status, text, { 'content-type': 'text/plain; charset=utf-8' });
}
