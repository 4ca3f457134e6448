import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnDevServer, temporalProgram } from '../../../src/wiring/services/temporal-dev-server.js';
import { freePort } from '../../support/ports/free-port.js';

const HOST = '127.0.0.1';

describe('the Temporal server that `up` starts', function () {
  this.timeout(100_000);
  let home: string;
  let listenedBefore: ReadonlySet<number>;
  let server: ReturnType<typeof spawnDevServer>;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-dev-server-'));
    await writeFile(join(home, 'before'), '');
    const [port, uiPort] = await Promise.all([freePort(), freePort()]);
    const reachable = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, HOST, () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => {
          resolve(false);
        });
      });
    listenedBefore = await listeningPorts();
    const options = { home, host: HOST, port, uiPort, namespace: 'default', reachable };
    server = spawnDevServer({ program: temporalProgram(), ...options });
    await server.serving;
  });
  after(async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true });
  });

  /** Histories are the operator's: the home is closed, and so is each file, wherever it is copied to. */
  it('makes files that are for nobody else to read, and our own umask is as it was', async () => {
    const modeOf = async (name: string): Promise<number> => (await stat(join(home, name))).mode;
    await writeFile(join(home, 'after'), '');
    assert.equal(await modeOf('after'), await modeOf('before'));
    await Promise.all(['before', 'after'].map((name) => rm(join(home, name))));
    const names = await readdir(home);
    assert.ok(names.includes('temporal.db') && names.includes('temporal.log'), names.join(' '));
    for (const name of names) assert.equal((await modeOf(name)) & 0o777, 0o600, name);
  });

  it('says what kept it from starting, such as a port that is taken', async () => {
    const [taken = 0] = [...(await listeningPorts())].filter((port) => !listenedBefore.has(port));
    const options = { home, host: HOST, port: await freePort(), uiPort: taken, namespace: 'default' };
    const reachable = () => Promise.resolve(false);
    const other = spawnDevServer({ program: temporalProgram(), ...options, reachable });
    const { refusal } = await other.ended;
    assert.match(
      refusal?.message ?? '',
      /^the Temporal server did not start \(.*UI port \d+: .*address already in use\): see .*temporal\.log$/,
    );
  });

  it('does nothing that a web page asks it by HTTP, which a browser sends without asking', async () => {
    const ports = [...(await listeningPorts())].filter((port) => !listenedBefore.has(port));
    const answers = await Promise.all(
      ports.map(async (port) => {
        const url = `http://${HOST}:${String(port)}/api/v1/namespaces/default/workflows/planted`;
        const body = JSON.stringify({ workflowType: { name: 'x' }, taskQueue: { name: 'x' } });
        const headers = { origin: 'https://example.org', 'content-type': 'text/plain' };
        const signal = AbortSignal.timeout(10_000);
        const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
        return answer?.status;
      }),
    );
    assert.ok(answers.includes(403), `its HTTP API is among them: ${answers.join(' ')}`);
    assert.deepEqual(
      answers.filter((status) => status !== undefined && status < 300),
      [],
    );
  });
});

/** TCP ports that something listens on here, as Linux lists them (proc_pid_net(5)): `0A` is LISTEN. */
async function listeningPorts(): Promise<ReadonlySet<number>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  const lines = tables.flatMap((table) => table.trim().split('\n').slice(1));
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A');
  return new Set(listening.map(([, local = '']) => parseInt(local.split(':')[1] ?? '', 16)));
}
