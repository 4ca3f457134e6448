import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import http2 from 'node:http2';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { lazyClient } from '../../../src/adapters/temporal/connect.js';
import type { Patience } from '../../../src/adapters/temporal/await-namespace.js';
import { missingSearchAttributes, setUpNamespace } from '../../../src/adapters/temporal/set-up-namespace.js';
import { failureOf } from '../../../src/cli/base/errors.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/messages.js';
import { freePort } from '../../support/ports/free-port.js';
import { temporalCli } from '../../support/temporal/binaries.js';
import { DevServer } from '../../support/temporal/dev-server.js';

const execute = promisify(execFile);
/** Far above what the suite needs: who gives up at once is told from who waits. */
const LONG_MS = 60_000;
const AT_ONCE_MS = 10_000;

describe('setting up the namespace', function () {
  this.timeout(120_000);
  let port: number;
  let server: DevServer | undefined;
  const clients: Client[] = [];

  before(async () => {
    port = await freePort();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.connection.close();
  });
  after(() => server?.stop());

  const address = (): string => `127.0.0.1:${String(port)}`;
  const clientOf = (namespace: string, connection: { address?: string; tls?: true } = {}): Client => {
    const client = lazyClient({ namespace, connection: { address: address(), ...connection } });
    clients.push(client);
    return client;
  };
  /** What is said; each line is passed on as well. */
  const listening = (onLine: (line: string) => void = () => undefined): Patience & { lines: string[] } => {
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      onLine(line);
    };
    return { ms: LONG_MS, say, lines };
  };

  it('gives up on a server that stays away, and says that it is', async () => {
    const { lines, ...patience } = listening();
    const refused = await setUpNamespace(clientOf('default'), { ...patience, ms: 1_500 }).then(
      () => assert.fail('nobody listens'),
      failureOf,
    );
    assert.equal(refused.exitCode, EXIT.unreachable, refused.message);
    assert.match(refused.message, /ECONNREFUSED/);
    assert.deepEqual(lines, [
      `waiting up to 1.5 s for Temporal at ${address()}: connect ECONNREFUSED ${address()}`,
    ]);
  });

  it('waits for a server that starts late', async () => {
    const patience = listening(() => {
      server ??= DevServer.start(port);
    });
    const client = clientOf('default');
    const { added } = await setUpNamespace(client, patience);
    assert.deepEqual([...added].sort(), Object.keys(SEARCH_ATTRIBUTES).sort());
    assert.deepEqual(await missingSearchAttributes(client), []);
    assert.match(patience.lines[0] ?? '', /^waiting up to 60 s for Temporal at 127\.0\.0\.1:/);
  });

  it('says nothing where nothing is to be waited for', async () => {
    const patience = listening();
    assert.deepEqual((await setUpNamespace(clientOf('default'), patience)).added, []);
    assert.deepEqual(patience.lines, []);
  });

  it('waits for a namespace that is made late', async () => {
    let made: Promise<unknown> | undefined;
    const patience = listening(() => {
      made ??= execute(temporalCli(), [
        ...['operator', 'namespace', 'create', '--address', address()],
        ...['--namespace', 'made-late', '--retention', '90d'],
      ]);
    });
    const { added } = await setUpNamespace(clientOf('made-late'), patience);
    await made;
    assert.equal(added.length, Object.keys(SEARCH_ATTRIBUTES).length);
    assert.deepEqual(patience.lines, [`waiting up to 60 s for the namespace made-late at ${address()}`]);
  });

  it('names the command that makes a namespace which nobody made', async () => {
    const { lines: _, ...patience } = listening();
    await assert.rejects(setUpNamespace(clientOf('nowhere'), { ...patience, ms: 1_500 }), (error) => {
      assert.ok(error instanceof InvalidInputError);
      assert.match(
        error.message,
        /has no namespace nowhere\. Make it with temporal operator namespace create/,
      );
      return true;
    });
  });

  it('says at once that TLS is wrong', async () => {
    const t0 = Date.now();
    await assert.rejects(setUpNamespace(clientOf('default', { tls: true }), listening()), (error) => {
      assert.ok(error instanceof InvalidInputError);
      assert.match(error.message, /^no TLS connection to Temporal: .*wrong version number/);
      return true;
    });
    assert.ok(Date.now() - t0 < AT_ONCE_MS);
  });

  it('says at once that it has no right', async () => {
    const refusing = http2.createServer();
    refusing.on('stream', (stream) => {
      const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' };
      stream.respond({ ...answer, 'grpc-message': 'Request unauthorized.' }, { endStream: true });
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const at = refusing.address();
    assert.ok(at !== null && typeof at === 'object');
    const t0 = Date.now();
    try {
      const client = clientOf('default', { address: `127.0.0.1:${String(at.port)}` });
      await assert.rejects(setUpNamespace(client, listening()), /PERMISSION_DENIED: Request unauthorized/);
      assert.ok(Date.now() - t0 < AT_ONCE_MS);
    } finally {
      for (const client of clients.splice(0)) await client.connection.close();
      await new Promise((resolve) => refusing.close(resolve));
    }
  });
});
