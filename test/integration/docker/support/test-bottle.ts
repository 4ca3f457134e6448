import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import {
  positionAt,
  type AgentContainerSpec,
  type BundleContainerSpec,
  type LogLine,
  type OneShotSpec,
} from '../../../../src/domain/bottle/bottle-runtime.js';
import {
  dockerBottleRuntime,
  type DockerBottleRuntime,
} from '../../../../src/adapters/docker/docker-runtime.js';
import { PATIENCE } from '../../../support/scale/patience.js';

export const AGENT_IMAGE = 'bot-bottle/agent-scripted:dev';
export const BUNDLE_IMAGE = 'bot-bottle/bundle:dev';
export const MIB = 1024 * 1024;

/** An image whose bundle answers on the socket and prints what it may do. Removed again by `removeBundleImage`. */
export async function buildBundleImage(docker: Docker): Promise<string> {
  const tag = `bot-bottle/test-docker-adapter:${randomBytes(4).toString('hex')}`;
  const context = fileURLToPath(new URL('.', import.meta.url));
  const stream = await docker.buildImage(
    { context, src: ['Dockerfile', 'test-bundle.mjs'] },
    { t: tag, networkmode: 'none' },
  );
  let log = '';
  for await (const chunk of stream) log += chunk.toString();
  assert.doesNotMatch(log, /"error"/);
  return tag;
}

export async function removeBundleImage(docker: Docker, tag: string): Promise<void> {
  await docker.getImage(tag).remove({ force: true });
}

/** One run with a slug and directories of its own; `dispose` proves that nothing of it is left. */
export class TestBottle {
  readonly runtime: DockerBottleRuntime;
  /** Not the start time, which the engine takes a moment after the agent may have begun to print. */
  #seen = positionAt(null);

  private constructor(
    readonly docker: Docker,
    readonly slug: string,
    readonly dir: string,
    readonly bundleImage: string,
  ) {
    this.runtime = dockerBottleRuntime({ docker });
  }

  static async make(docker: Docker, bundleImage: string): Promise<TestBottle> {
    const slug = `dkt-alice-demo-1-${randomBytes(4).toString('hex')}`;
    // As a home's `state/<slug>`: a container with anything else in it is not started.
    const dir = join(await mkdtemp(join(tmpdir(), 'bb-docker-test-')), slug);
    const bottle = new TestBottle(docker, slug, dir, bundleImage);
    for (const name of [
      'workspace/.git',
      'turn',
      'queue/out',
      'queue/in',
      'loopback',
      'config',
      'bundle/secrets',
    ])
      await mkdir(join(dir, name), { recursive: true });
    // As the host has no right to change owners, others may write instead; the directory above is closed.
    for (const name of ['workspace', 'workspace/.git', 'queue/out']) await chmod(join(dir, name), 0o777);
    await writeFile(join(dir, 'workspace/.git/bottle-ready'), 'x\n');
    // Of any workspace: its place in the count of files is not a turn's.
    await writeFile(join(dir, 'workspace/.git/config'), '');
    await writeFile(join(dir, 'bundle/forge-token'), 'a-token', { mode: 0o644 });
    await writeFile(join(dir, 'ca.pem'), 'a certificate', { mode: 0o644 });
    await bottle.turn('true');
    return bottle;
  }

  /** What the agent's container runs when it starts next. */
  async turn(...argv: string[]): Promise<void> {
    const files = {
      argv: argv.join('\0'),
      'prompt.md': 'hello\n',
      branch: 'b\n',
      start: 'x\n',
      turn: '1\n',
      'git-user': 'a\nb\n',
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(this.dir, 'turn', name), content);
  }

  shell(script: string): Promise<void> {
    return this.turn('bash', '-c', script);
  }

  agentSpec(more: Partial<AgentContainerSpec> = {}): AgentContainerSpec {
    return {
      slug: this.slug,
      image: AGENT_IMAGE,
      workspaceDir: join(this.dir, 'workspace'),
      turnDir: join(this.dir, 'turn'),
      configDir: join(this.dir, 'config'),
      limits: { memoryBytes: 256 * MIB, cpus: 1, pids: 64 },
      env: {},
      ...more,
    };
  }

  bundleSpec(more: Partial<BundleContainerSpec> = {}): BundleContainerSpec {
    return {
      slug: this.slug,
      image: this.bundleImage,
      queueOutDir: join(this.dir, 'queue/out'),
      queueInDir: join(this.dir, 'queue/in'),
      tokenFile: join(this.dir, 'bundle/forge-token'),
      secretsDir: join(this.dir, 'bundle/secrets'),
      configDir: join(this.dir, 'config'),
      caFile: join(this.dir, 'ca.pem'),
      loopbackDir: join(this.dir, 'loopback'),
      network: 'none',
      env: {},
      ...more,
    };
  }

  oneShot(script: string, more: Partial<OneShotSpec> = {}): OneShotSpec {
    return {
      name: 'probe',
      slug: this.slug,
      image: AGENT_IMAGE,
      argv: ['bash', '-c', script],
      user: 'agent',
      mounts: [],
      env: {},
      timeoutMs: 20_000,
      maxOutputBytes: MIB,
      ...more,
    };
  }

  async createBoth(): Promise<void> {
    await this.runtime.createBundle(this.bundleSpec());
    await this.runtime.createAgent(this.agentSpec());
  }

  /** Starts the agent's container and takes everything it prints until it exits, but nothing of the turn before. */
  async runTurn(): Promise<{ readonly exitCode: number; readonly lines: LogLine[] }> {
    await this.runtime.start(this.slug, 'agent');
    const lines: LogLine[] = [];
    const signal = AbortSignal.timeout(25_000 * PATIENCE);
    await this.runtime.followLogs(this.slug, 'agent', this.#seen, signal, (line) => {
      lines.push(line);
      this.#seen = { ...this.#seen, [line.stream]: line.at };
    });
    return { exitCode: await this.runtime.waitForExit(this.slug, 'agent', signal), lines };
  }

  async dispose(): Promise<void> {
    for (const role of ['agent', 'bundle'] as const) await this.runtime.remove(this.slug, role);
    await this.runtime.removeVolumes(this.slug);
    const left = await this.runtime.list(this.slug);
    // What the container wrote belongs to its uid: another container removes it when this user cannot.
    if (process.getuid?.() !== 0) {
      const mounts = [{ source: this.dir, target: '/tree', readOnly: false }];
      await this.runtime.runOnce(
        this.oneShot('rm -rf /tree/workspace /tree/queue/out', { user: 'remover', mounts }),
      );
    }
    await rm(dirname(this.dir), { recursive: true, force: true });
    assert.deepEqual(left, []);
  }
}

/** Mocha's hooks for a suite that needs an engine: a bottle for each test. */
export function withBottles(bundleImage: () => string = () => BUNDLE_IMAGE): () => TestBottle {
  const docker = new Docker();
  let bottle: TestBottle | undefined;
  beforeEach(async () => {
    bottle = await TestBottle.make(docker, bundleImage());
  });
  afterEach(async () => {
    await bottle?.dispose();
    bottle = undefined;
  });
  return () => {
    assert.ok(bottle !== undefined);
    return bottle;
  };
}
