import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** How long a client that has been answered may go on sending, ms. */
const LINGER_MS = 5000;

/**
 * The last answer on its connection, given whether or not the request is here whole. What still comes of it is thrown away for
 * a moment: a client that sends everything before it reads would find the connection reset, and never see the answer.
 */
export function answerLast(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders,
): void {
  if (response.destroyed || response.headersSent) return;
  request.unpipe();
  request.removeAllListeners('data');
  request.resume();
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text), connection: 'close' });
  if (request.complete || !hasBody(request)) {
    response.end(text);
    return;
  }
  response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end);
  request.once('close', end);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
