import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Manner, RpcCase } from '../../corpus/rpc/rpc-case.js';

const DRIP_MS = 200;

/** All that comes back until the sidecar closes the connection. Errors: when it does not in time. */
export async function playRequest(
  socketPath: string,
  { wire, then }: RpcCase,
  withinMs: number,
): Promise<string> {
  const socket = connect(socketPath);
  let seen = '';
  socket.setEncoding('utf8').on('data', (text: string) => (seen += text));
  // It may close before all is written.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      resolve();
    }),
  );
  await once(socket, 'connect');
  void write(socket, wire(), then);
  const over = new AbortController();
  try {
    const late = delay(withinMs, 'late', { signal: over.signal });
    if ((await Promise.race([closed, late])) === 'late')
      throw new Error(`still open; so far: ${seen.slice(0, 200)}`);
    return seen;
  } finally {
    over.abort();
    socket.destroy();
  }
}

async function write(socket: Socket, pieces: readonly Buffer[], then: Manner | undefined): Promise<void> {
  for (const piece of pieces) await written(socket, piece);
  if (then === 'leaves') socket.destroy();
  else if (typeof then === 'object') await drip(socket, then.drip);
}

/** Handed to the system, or the connection is gone. */
async function written(socket: Socket, piece: Buffer): Promise<void> {
  if (socket.destroyed || piece.length === 0) return;
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.write(piece, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}

async function drip(socket: Socket, drop: Buffer): Promise<void> {
  while (!socket.destroyed) {
    socket.write(drop);
    await delay(DRIP_MS);
  }
}
