import type { Response } from 'express';

/** How long a refused client may go on sending before its connection is cut, milliseconds. */
const LINGER_MS = 5000;

/** Every answer of the door: a status word for machines and a reason for people. */
export function answer(response: Response, code: number, status: string, reason?: string): void {
  if (write(response, code, status, reason)) response.end();
}

/**
 * Answers a request whose body was not read to its end, and ends the connection. What still comes is thrown away for a
 * moment: a connection closed on unread bytes is reset, and the client would never see the answer.
 */
export function answerAndHangUp(response: Response, code: number, status: string, reason: string): void {
  response.shouldKeepAlive = false;
  if (!write(response, code, status, reason)) return;
  const { req: request } = response;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  if (request.complete) end();
  request.once('end', end);
  request.once('close', end);
  request.resume();
}

function write(response: Response, code: number, status: string, reason?: string): boolean {
  if (response.headersSent || response.destroyed) return false;
  const body = JSON.stringify(reason === undefined ? { status } : { status, reason });
  response.writeHead(code, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.write(body);
  return true;
}
