import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** `fetch` speaks to no server on 10080, the highest of its bad ports (https://fetch.spec.whatwg.org/#port-blocking). */
const LOWEST = 10_081;
const TRIES = 100;

/**
 * A port of 127.0.0.1 that nobody listens on, and that stays free while a test's server is down: below those that the
 * kernel gives to outgoing connections, of which tests that run side by side have many.
 */
export async function freePort(): Promise<number> {
  const [first = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, Number(first));
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port found from ${String(LOWEST)} to ${first}`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
