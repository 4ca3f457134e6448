/** docker-compose.yml, started under a project's name of its own, with stand-ins for the images of other people. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import { dockerCompose } from './program.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const STAND_INS = 'test/support/compose/stand-ins.yml';
/** So that a call that hangs ends the test with what was printed. */
const CALL_MS = 300_000;

export interface Ran {
  readonly code: number | null;
  /** Of both streams. */
  readonly output: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Of both streams, so far. */
  readonly said: () => string;
  readonly ended: Promise<Ran>;
}

export class Composition {
  readonly project = `bot-bottle-test-${randomBytes(4).toString('hex')}`;

  constructor(private readonly env: Readonly<Record<string, string>>) {}

  /** Starts `docker compose <args>` with the profile gitea; `input` is its standard input. */
  start(args: readonly string[], input = ''): Running {
    const { PATH, HOME, DOCKER_HOST } = process.env;
    const all = [
      '-p',
      this.project,
      '-f',
      'docker-compose.yml',
      '-f',
      STAND_INS,
      '--profile',
      'gitea',
      ...args,
    ];
    const child = spawn(dockerCompose(), all, {
      cwd: ROOT,
      env: { PATH, HOME, ...(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }), ...this.env },
      timeout: CALL_MS,
      killSignal: 'SIGKILL',
    });
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.stdin.end(input);
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output: text }));
    return { child, said: () => text, ended };
  }

  /** To its end. Throws with all that was printed when it fails. */
  async run(args: readonly string[], input?: string): Promise<string> {
    const { code, output } = await this.start(args, input).ended;
    if (code !== 0)
      throw new Error(`docker compose ${args.join(' ')} ended with ${String(code)}:\n${output}`);
    return output;
  }

  /** Containers, volumes and networks of the project, by name. */
  async left(docker: Docker): Promise<string[]> {
    const filters = { label: [`com.docker.compose.project=${this.project}`] };
    const [containers, { Volumes: volumes }, networks] = await Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listVolumes({ filters }),
      docker.listNetworks({ filters }),
    ]);
    return [
      ...containers.flatMap(({ Names: names }) => names),
      ...volumes.map(({ Name: name }) => name),
      ...networks.map(({ Name: name }) => name),
    ];
  }
}
