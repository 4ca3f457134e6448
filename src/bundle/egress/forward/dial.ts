import { connect, type Socket } from 'node:net';
import { CONNECT_MS, MAX_TRIES } from '../limits.js';

/** Connects to the first address that answers, in the order given. Errors: that of the last one tried. */
export async function dial(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown = new Error('no address');
  for (const address of addresses.slice(0, MAX_TRIES)) {
    try {
      return await dialOne(address, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** `host` is an address here, so nothing is looked up. */
function dialOne(address: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    const timer = setTimeout(() => {
      socket.destroy(new Error(`no connection within ${String(CONNECT_MS)} ms`));
    }, CONNECT_MS);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}
