import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { setUpNamespace } from '../../src/adapters/temporal/set-up-namespace.js';
import { spawnDevServer, temporalProgram } from '../../src/wiring/services/temporal-dev-server.js';
import { freePort } from '../../test/support/ports/free-port.js';
import { cleaningUp, inDirectory } from './clean-up.js';

/**
 * Runs work against a development server of its own, as `up` starts one: on disk, durable. The work is given the file
 * of its database.
 * @param givenPort where clients expect it already; by default a free one
 */
export async function withDevServer<T>(
  work: (client: Client, address: string, file: string) => Promise<T>,
  givenPort?: number,
): Promise<T> {
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
  return inDirectory((home) =>
    cleaningUp(
      () => connection.close(),
      async () => {
        const server = spawnDevServer({
          program: temporalProgram(),
          home,
          host: '127.0.0.1',
          port,
          uiPort,
          namespace: 'default',
          reachable,
        });
        await server.serving;
        return cleaningUp(
          () => server.stop(),
          async () => {
            await setUpNamespace(client);
            return work(client, address, join(home, 'temporal.db'));
          },
        );
      },
    ),
  );
}
