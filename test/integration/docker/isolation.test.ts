import assert from 'node:assert/strict';
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { positionAt, type LogLine } from '../../../src/domain/bottle/bottle-runtime.js';
import { runsAsUser } from '../../support/unprivileged/runs-as-user.js';
import { int80Program } from './support/int80.js';
import {
  AGENT_IMAGE,
  buildBundleImage,
  MIB,
  removeBundleImage,
  TestBottle,
  withBottles,
} from './support/test-bottle.js';

const EPERM = 1;
const ENOSYS = 38;
const PROBE = new URL('support/agent-probe.mjs', import.meta.url);

interface Report {
  readonly uid: number;
  readonly gid: number;
  readonly groups: number[];
  readonly caps: string[];
  readonly noNewPrivs: string;
  readonly seccomp: string;
  readonly pid1: string;
  readonly cwd: string;
  readonly interfaces: string[];
  readonly routes: number;
  readonly env: Record<string, string>;
  readonly memoryLimit: string;
  readonly pidsLimit: string;
  readonly limits: string[][];
  readonly tmp: string[];
  readonly sockets: Record<string, number>;
  readonly vsockWithHighBits: number;
  readonly calls: Record<string, number>;
  readonly unshareUser: number;
  readonly oldEntry: string | null;
  readonly write: Record<string, string>;
  readonly replaceSocket: string;
  readonly linkIntoSockets: string;
  readonly overwriteTurn: string;
  readonly socketOwner: number;
  readonly queue: string[];
  readonly dockerSockets: string[];
  readonly devices: string[];
  readonly answer: string;
  readonly forks: number;
  readonly memoryHog: string | null;
}

describe('docker: isolation, seen from inside', () => {
  if (!runsAsUser()) return;
  const docker = new Docker();
  let image: string;
  before(async () => {
    image = await buildBundleImage(docker);
  });
  after(() => removeBundleImage(docker, image));

  describe('by the agent', () => {
    testAgent(docker, () => image);
  });
  describe('by the bundle', () => {
    testBundle(() => image);
  });
});

/** One probe beside a running bundle tells it all. */
function testAgent(docker: Docker, image: () => string): void {
  let bottle: TestBottle;
  let report: Report;
  before(async () => {
    bottle = await TestBottle.make(docker, image());
    await bottle.runtime.createBundle(bottle.bundleSpec());
    await bundleReport(bottle);
    const program = join(bottle.dir, 'workspace/int80');
    await writeFile(program, int80Program());
    await chmod(program, 0o755);
    report = await probe(bottle, { OURS: 'yes', HOME: '/elsewhere', PATH: '/evil' });
  });
  after(() => bottle.dispose());

  it('gives the agent no network interface, no capability, no way to more and nothing of the host', () => {
    assert.deepEqual(report.interfaces, ['lo']);
    assert.equal(report.routes, 0);
    assert.deepEqual([report.uid, report.gid, report.groups], [1000, 1000, [1000]]);
    assert.deepEqual(
      report.caps,
      Array.from({ length: 5 }, () => '0000000000000000'),
    );
    assert.equal(report.noNewPrivs, '1');
    assert.equal(report.seccomp, '2');
    assert.match(report.pid1, /docker-init$/);
    assert.equal(report.cwd, '/workspace');
    assert.deepEqual(report.dockerSockets, []);
    assert.deepEqual(report.devices, []);
    assert.deepEqual(report.queue, []);
  });

  it('gives the agent only the environment that was asked for, and the fixed part wins', () => {
    const { env } = report;
    // bash adds the last four.
    const added = ['PWD', 'SHLVL', 'OLDPWD', '_'];
    assert.deepEqual(Object.fromEntries(Object.entries(env).filter(([name]) => !added.includes(name))), {
      OURS: 'yes',
      HOME: '/home/agent',
      LANG: 'C.UTF-8',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOSTNAME: 'bottle',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '/workspace',
    });
  });

  it('lets the agent write its workspace, home and /tmp, and nothing else', async () => {
    const { write, replaceSocket, linkIntoSockets, overwriteTurn, tmp } = report;
    const open = Object.entries(write).filter(([, result]) => result === 'ok');
    assert.deepEqual(
      open.map(([path]) => path),
      ['/workspace', '/home/agent', '/tmp'],
    );
    assert.equal(write['/run/bottle/sock'], 'EROFS');
    assert.equal(write['/run/bottle/turn'], 'EROFS');
    assert.deepEqual([replaceSocket, linkIntoSockets, overwriteTurn], ['EROFS', 'EROFS', 'EROFS']);
    for (const option of ['nosuid', 'nodev', 'size=131072k']) assert.ok(tmp.includes(option), option);
    assert.match(await readFile(join(bottle.dir, 'turn/argv'), 'utf8'), /^node/);
  });

  it('reaches the bundle through its socket, which belongs to the bundle', () => {
    const { answer, socketOwner } = report;
    assert.equal(answer, 'pong from the bundle');
    assert.equal(socketOwner, 10001);
  });

  it('refuses sockets of other families, kernel keys, io_uring and new namespaces, which Docker without a profile lets through', async () => {
    const { sockets, calls, vsockWithHighBits, unshareUser } = report;
    const opened = Object.entries(sockets)
      .filter(([, errno]) => errno === 0)
      .map(([name]) => name);
    assert.deepEqual(opened.sort(), ['AF_INET', 'AF_INET6', 'AF_NETLINK', 'AF_UNIX']);
    for (const name of ['AF_VSOCK', 'AF_PACKET', 'AF_ALG', 'AF_BLUETOOTH', 'AF_TIPC'])
      assert.equal(sockets[name], EPERM, name);
    assert.equal(vsockWithHighBits, EPERM);
    const { clone3, ...refused } = calls;
    assert.equal(clone3, ENOSYS);
    for (const [name, errno] of Object.entries(refused)) assert.equal(errno, EPERM, name);
    assert.equal(unshareUser, EPERM);

    const open = await probeWithoutProfile(bottle);
    assert.equal(open.seccomp, '0');
    for (const name of ['AF_VSOCK', 'AF_ALG', 'AF_BLUETOOTH', 'AF_TIPC'])
      assert.notEqual(open.sockets[name], EPERM, name);
    for (const name of [
      'io_uring_setup',
      'io_uring_enter',
      'io_uring_register',
      'keyctl',
      'add_key',
      'request_key',
    ]) {
      assert.notEqual(open.calls[name], EPERM, name);
    }
  });

  it('kills a program that calls through the 32-bit entry', function () {
    if (process.arch !== 'x64') this.skip();
    assert.equal(report.oldEntry, 'SIGSYS');
  });

  it('holds the agent to its memory, processes, file size and core limits', () => {
    assert.equal(report.memoryLimit, String(256 * MIB));
    assert.equal(report.memoryHog, 'SIGKILL');
    assert.equal(report.pidsLimit, '64');
    assert.ok(report.forks > 0 && report.forks < 64, String(report.forks));
    assert.deepEqual(
      report.limits.map((limit) => limit.slice(0, 3)),
      [
        ['Max file size', String(8 * 1024 * MIB), String(8 * 1024 * MIB)],
        ['Max core file size', '0', '0'],
        ['Max open files', '16384', '16384'],
      ],
    );
  });
}

function testBundle(image: () => string): void {
  const bottle = withBottles(image);

  it('gives the bundle its queue, its token and its socket, and as little as the agent otherwise', async () => {
    await bottle().runtime.createBundle(bottle().bundleSpec());
    assert.deepEqual(await bundleReport(bottle()), {
      uid: 10001,
      gid: 10001,
      capEff: '0000000000000000',
      noNewPrivs: '1',
      seccomp: '2',
      interfaces: ['lo'],
      token: 'a-token'.length,
      ca: 'ok',
      writeToken: 'EROFS',
      writeIn: 'EROFS',
      writeLoopback: 'EROFS',
      writeOut: 'ok',
      writeRoot: 'EROFS',
      writeTmp: 'ok',
    });
  });

  it('keeps the socket volume of the bundle when the bundle is made again', async () => {
    const { runtime, slug } = bottle();
    for (let life = 0; life < 2; life++) {
      await runtime.createBundle(bottle().bundleSpec({ caFile: null, loopbackDir: null }));
      assert.equal((await bundleReport(bottle()))['ca'], 'ENOENT');
      await runtime.remove(slug, 'bundle');
    }
  });

  it('shows no secret in what the engine tells about either container', async () => {
    const canary = `canary-${bottle().slug}-token`;
    await writeFile(join(bottle().dir, 'bundle/forge-token'), canary, { mode: 0o644 });
    await bottle().createBoth();
    await bottle().runtime.start(bottle().slug, 'bundle');
    for (const role of ['agent', 'bundle']) {
      const shown = JSON.stringify(
        await bottle().docker.getContainer(`bb-${bottle().slug}-${role}`).inspect(),
      );
      assert.ok(shown.includes('/run/bottle/sock'));
      assert.ok(!shown.includes(canary));
    }
  });
}

async function probe(bottle: TestBottle, env: Record<string, string>): Promise<Report> {
  await copyFile(PROBE, join(bottle.dir, 'turn/probe.mjs'));
  await bottle.turn('node', '/run/bottle/turn/probe.mjs', 'greedy');
  await bottle.runtime.createAgent(bottle.agentSpec({ env }));
  const { lines } = await bottle.runTurn();
  return parse(lines);
}

/** The control: what the same probe may do in a container of Docker's without a filter. */
async function probeWithoutProfile(bottle: TestBottle): Promise<Report> {
  const container = await bottle.docker.createContainer({
    name: `bb-${bottle.slug}-control`,
    Image: AGENT_IMAGE,
    Entrypoint: ['node', '/turn/probe.mjs'],
    HostConfig: {
      NetworkMode: 'none',
      SecurityOpt: ['seccomp=unconfined'],
      Binds: [`${join(bottle.dir, 'turn')}:/turn:ro`],
    },
  });
  try {
    await container.start();
    await container.wait();
    const log: Buffer = await container.logs({ stdout: true });
    return JSON.parse(log.subarray(log.indexOf('{')).toString()) as Report;
  } finally {
    await container.remove({ force: true });
  }
}

/** Starts the bundle and waits for its first line, which it prints when its socket is open. */
async function bundleReport({ runtime, slug }: TestBottle): Promise<Record<string, unknown>> {
  await runtime.start(slug, 'bundle');
  const abort = new AbortController();
  const lines: LogLine[] = [];
  await runtime.followLogs(slug, 'bundle', positionAt(null), abort.signal, (line) => {
    lines.push(line);
    if (line.text.startsWith('{')) abort.abort();
  });
  const line = lines.find(({ text }) => text.startsWith('{'));
  assert.ok(line !== undefined, JSON.stringify(lines));
  return JSON.parse(line.text) as Record<string, unknown>;
}

function parse(lines: readonly LogLine[]): Report {
  const line = lines.find(({ text }) => text.startsWith('{'));
  assert.ok(line !== undefined, JSON.stringify(lines));
  return JSON.parse(line.text) as Report;
}
