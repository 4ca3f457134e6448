import { once } from 'node:events';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** The agent is another user. */
const SOCKET_MODE = 0o666;

/**
 * Makes a server listen on a Unix socket that is put in place under another name and renamed, so whoever sees it can
 * connect, and a stale one of a killed predecessor is replaced. Errors: the file system's own.
 */
export async function listenUnix(server: Server, socketPath: string): Promise<void> {
  const temporary = join(dirname(socketPath), `.${basename(socketPath)}.new`);
  rmSync(temporary, { force: true });
  server.listen(temporary);
  await once(server, 'listening');
  // An accept that failed (no more descriptors) is the client's loss, not the process's end.
  server.on('error', () => undefined);
  chmodSync(temporary, SOCKET_MODE);
  renameSync(temporary, socketPath);
}
