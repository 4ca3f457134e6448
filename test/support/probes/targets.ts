/** What the probes aim at: listeners of the test on this machine, and files and processes that nobody inside may reach. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import type { Stack } from '../stack/stack.js';

export const MEMORY_BYTES = 384 * 1024 * 1024;
export const PIDS = 200;

export class ProbeTargets {
  private constructor(
    readonly values: Readonly<Record<string, unknown>> & {
      readonly gateway: string;
      readonly addresses: readonly string[];
      readonly closedPorts: Readonly<Record<string, number>>;
    },
    readonly canary: string,
    private readonly servers: readonly Server[],
    private readonly dir: string,
  ) {}

  static async open(stack: Stack, otherIssue: number): Promise<ProbeTargets> {
    const dir = await mkdtemp(join(tmpdir(), 'bb-probes-'));
    const canaryDir = join(dir, 'canary');
    const canary = join(canaryDir, 'file');
    await mkdir(canaryDir);
    await writeFile(canary, CANARY);
    const abstractName = `bb-probe-${randomBytes(6).toString('hex')}`;
    const listens = [['127.0.0.1', 0], ['0.0.0.0', 0], ['::1', 0], [`\0${abstractName}`]] as const;
    const servers = await Promise.all(listens.map((where) => listening(...where)));
    const [loopback, open, loopback6] = servers.map(portOf);
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    const closedPorts = {
      temporal: Number(stack.temporalAddress.split(':')[1]),
      'temporal ui': Number(new URL(stack.uiUrl).port),
      webhook: Number(new URL(stack.webhookUrl).port),
      'a listener on loopback': loopback ?? 0,
    };
    return new ProbeTargets(
      {
        loopbackPort: loopback,
        openPort: open,
        loopback6Port: loopback6,
        temporalPort: closedPorts.temporal,
        uiPort: closedPorts['temporal ui'],
        webhookPort: closedPorts.webhook,
        forgePort: Number(new URL(stack.gitea.url).port),
        gateway: await bridgeGateway(),
        addresses,
        closedPorts,
        abstractName,
        resolvers: (await readFile('/etc/resolv.conf', 'utf8')).match(/(?<=^nameserver\s+)\S+/gm) ?? [],
        hostname: hostname(),
        hostPids: [process.pid, stack.upProcess.pid],
        canary,
        canaryDir,
        home: stack.home,
        otherIssue,
        memoryBytes: MEMORY_BYTES,
        pids: PIDS,
      },
      canary,
      servers,
      dir,
    );
  }

  /** True while nobody has changed or removed what is outside. */
  async isUntouched(): Promise<boolean> {
    return (await readFile(this.canary, 'utf8')) === CANARY;
  }

  async close(): Promise<void> {
    for (const server of this.servers) server.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export const CANARY = 'the canary sings\n';

async function listening(...where: readonly [string, number] | readonly [string]): Promise<Server> {
  const server = createServer((socket) => socket.end());
  const [host, port] = where;
  if (port === undefined) server.listen(host);
  else server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

async function bridgeGateway(): Promise<string> {
  const { IPAM } = (await new Docker().getNetwork('bridge').inspect()) as {
    IPAM: { Config: { Gateway?: string }[] };
  };
  const told = IPAM.Config[0]?.Gateway;
  if (told !== undefined) return told;
  const { stdout } = await promisify(execFile)('ip', ['-4', '-o', 'addr', 'show', 'docker0']);
  return /inet ([0-9.]+)/.exec(stdout)?.[1] ?? '172.17.0.1';
}
