import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { setUpNamespace } from '../src/adapters/temporal/set-up-namespace.js';
import { startDevServer, temporalProgram } from '../src/wiring/services/temporal-dev-server.js';
import { cleaningUp } from './clean-up.js';

/**
 * Runs work against a development server of its own, as `up` starts one: on disk, durable. The work is given the file
 * of its database.
 * @param givenPort where clients expect it already; by default a free one
 */
export async function withDevServer<T>(
  work: (client: Client, address: string, file: string) => Promise<T>,
  givenPort?: number,
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'bb-bench-'));
  const [port, uiPort] = [givenPort ?? (await freePort()), await freePort()];
  const address = `127.0.0.1:${String(port)}`;
  const connection = Connection.lazy({ address });
  const client = new Client({ connection });
  const reachable = (): Promise<boolean> =>
    client
      .withDeadline(Date.now() + 1_000, () =>
        client.workflowService.describeNamespace({ namespace: 'default' }),
      )
      .then(
        () => true,
        () => false,
      );
  const remove = async (): Promise<void> => {
    await connection.close();
    await rm(home, { recursive: true, force: true });
  };
  return cleaningUp(remove, async () => {
    const server = await startDevServer({
      program: temporalProgram(),
      home,
      host: '127.0.0.1',
      port,
      uiPort,
      namespace: 'default',
      reachable,
    });
    return cleaningUp(
      () => server.stop(),
      async () => {
        await setUpNamespace(client);
        return work(client, address, join(home, 'temporal.db'));
      },
    );
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
