/** Containers of the service's own image, held as tightly as it allows: what works here works with less. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { frames } from '../../../src/adapters/docker/logs/stream-frames.js';

export const IMAGE = 'bot-bottle/orchestrator:dev';

/** Containers of this process's tests, so that a look for leftovers finds no others, nor those of a run that was killed. */
export const LABEL = `bot-bottle.test.orchestrator-image=${randomUUID()}`;
const [LABEL_NAME = '', LABEL_VALUE = ''] = LABEL.split('=');

export interface ServiceOptions {
  readonly args: readonly string[];
  /** `uid:gid`; never root. */
  readonly user: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Mounted at the path they have on the host, as docker-compose.yml does. */
  readonly mounts?: readonly string[];
  readonly groups?: readonly number[];
  /** A port of the container, for 127.0.0.1 and a free port here. */
  readonly publish?: number;
}

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class ServiceContainer {
  private constructor(private readonly container: Docker.Container) {}

  static async start(docker: Docker, options: ServiceOptions): Promise<ServiceContainer> {
    const { args, user, env = {}, mounts = [], groups = [], publish } = options;
    const port = publish === undefined ? undefined : `${String(publish)}/tcp`;
    const container = await docker.createContainer({
      Image: IMAGE,
      Cmd: [...args],
      User: user,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Labels: { [LABEL_NAME]: LABEL_VALUE },
      ...(port === undefined ? {} : { ExposedPorts: { [port]: {} } }),
      HostConfig: {
        Init: true,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Binds: mounts.map((path) => `${path}:${path}`),
        GroupAdd: groups.map(String),
        ...(port === undefined
          ? { NetworkMode: 'none' }
          : { PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } }),
      },
    });
    const service = new ServiceContainer(container);
    try {
      await container.start();
    } catch (error) {
      await service.remove();
      throw error;
    }
    return service;
  }

  /** Runs to its end, and is removed. */
  static async run(docker: Docker, options: ServiceOptions): Promise<Ended> {
    const service = await ServiceContainer.start(docker, options);
    try {
      return await service.ended();
    } finally {
      await service.remove();
    }
  }

  async ended(): Promise<Ended> {
    const { StatusCode: exitCode } = (await this.container.wait()) as { readonly StatusCode: number };
    return { exitCode, ...(await this.output()) };
  }

  /** SIGTERM, as `docker compose stop` sends it. */
  async stop(): Promise<Ended> {
    await this.container.stop({ t: 10 });
    return this.ended();
  }

  async kill(): Promise<void> {
    await this.container.kill({ signal: 'SIGKILL' });
    await this.container.wait();
  }

  async isRunning(): Promise<boolean> {
    return (await this.container.inspect()).State.Running;
  }

  /** Where the published port answers: `http://127.0.0.1:<port>`. */
  async url(): Promise<string> {
    const { Ports: ports } = (await this.container.inspect()).NetworkSettings;
    const bindings = Object.values(ports).flatMap((found) => found);
    const [binding] = bindings;
    if (binding?.HostIp !== '127.0.0.1' || bindings.length !== 1)
      throw new Error(`published on ${JSON.stringify(ports)}, not on one port of 127.0.0.1`);
    return `http://127.0.0.1:${binding.HostPort}`;
  }

  async output(): Promise<Omit<Ended, 'exitCode'>> {
    const log = await this.container.logs({ stdout: true, stderr: true });
    return separate(Readable.from([log]));
  }

  /** What a command prints inside, with the rights of the service. */
  async exec(argv: readonly string[]): Promise<string> {
    const exec = await this.container.exec({ Cmd: [...argv], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    const { stdout, stderr } = await separate(stream);
    return stdout + stderr;
  }

  async remove(): Promise<void> {
    await this.container.remove({ force: true, v: true });
  }
}

async function separate(framed: AsyncIterable<string | Buffer>): Promise<Omit<Ended, 'exitCode'>> {
  const texts = { stdout: '', stderr: '' };
  for await (const { stream, payload } of frames(framed)) texts[stream] += payload.toString();
  return texts;
}
