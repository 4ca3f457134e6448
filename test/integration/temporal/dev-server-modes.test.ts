import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnDevServer, temporalProgram } from '../../../src/wiring/services/temporal-dev-server.js';
import { freePort } from '../../support/ports/free-port.js';

/** Histories are the operator's: the home is closed, and so is each file, wherever it is copied to. */
describe('the files of the Temporal server that `up` starts', function () {
  this.timeout(100_000);

  it('are for nobody else to read, and our own umask is as it was', async () => {
    const home = await mkdtemp(join(tmpdir(), 'bb-dev-server-'));
    const [port, uiPort] = await Promise.all([freePort(), freePort()]);
    const host = '127.0.0.1';
    const reachable = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, host, () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => {
          resolve(false);
        });
      });
    const modeOf = async (name: string): Promise<number> => (await stat(join(home, name))).mode;
    await writeFile(join(home, 'before'), '');
    const options = { program: temporalProgram(), home, host, port, uiPort, namespace: 'default', reachable };
    const server = spawnDevServer(options);
    await server.serving;
    try {
      await writeFile(join(home, 'after'), '');
      assert.equal(await modeOf('after'), await modeOf('before'));
      await Promise.all(['before', 'after'].map((name) => rm(join(home, name))));
      const names = await readdir(home);
      assert.ok(names.includes('temporal.db') && names.includes('temporal.log'), names.join(' '));
      for (const name of names) assert.equal((await modeOf(name)) & 0o777, 0o600, name);
    } finally {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    }
  });
});
