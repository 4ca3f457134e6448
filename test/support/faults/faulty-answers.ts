/** What comes back to the client. Each but `cutShort` answers whether its connection goes on. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { contentOf } from './http-framing.js';
import type { WireMessage } from './http-framing.js';

export function reset(client: Socket): false {
  client.resetAndDestroy();
  return false;
}

export function goesOn(answer: WireMessage): boolean {
  return answer.headers.get('connection')?.toLowerCase() !== 'close';
}

export function answerWith(client: Socket, fault: Extract<Fault, { kind: 'status' }>): true {
  const body = 'not from the forge\n';
  const asked = fault.retryAfter === undefined ? '' : `Retry-After: ${fault.retryAfter}\r\n`;
  client.write(
    `HTTP/1.1 ${String(fault.status)} Fault\r\n${asked}Content-Type: text/plain\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n${body}`,
  );
  return true;
}

export function cutShort(answer: WireMessage, fault: Extract<Fault, { kind: 'truncated' }>): Buffer[] {
  const cut = fault.cut ?? ((body: Buffer) => body.subarray(0, Math.floor(body.length / 2)));
  if (!fault.hidden) return [answer.head, cut(answer.body)];
  const rest = cut(contentOf(answer));
  const head = answer.head.toString('latin1').replace(/^(?:content-length|transfer-encoding):.*\r\n/gim, '');
  return [
    Buffer.from(head.replace(/\r\n$/, `Content-Length: ${String(rest.length)}\r\n\r\n`), 'latin1'),
    rest,
  ];
}

export async function drip(
  client: Socket,
  bytes: Buffer,
  { pieces, everyMs }: Extract<Fault, { kind: 'slow_drip' }>,
): Promise<boolean> {
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  for (let at = 0; at < bytes.length && !client.destroyed; at += size) {
    client.write(bytes.subarray(at, at + size));
    await sleep(everyMs);
  }
  return !client.destroyed;
}
