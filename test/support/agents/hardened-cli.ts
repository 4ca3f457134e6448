import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { agentContainer } from '../../../src/adapters/docker/agent-container.js';
import { bind } from '../../../src/adapters/docker/hardening.js';
import { frames } from '../../../src/adapters/docker/logs/stream-frames.js';
import { writeTurnInputFiles } from '../../../src/adapters/files/run/turn-input.js';
import type { AgentProvider, LaunchOptions } from '../../../src/domain/agent/agent-provider.js';
import type { AgentEvent, OutputStream, StreamSummary } from '../../../src/domain/agent/agent-stream.js';
import { BundleHere } from '../bundle/running-bundle.js';
import { ModelApi } from '../model-api/model-api.js';

const LIMITS = { memoryBytes: 2 * 1024 ** 3, cpus: 2, pids: 512 };
/** Where the stub is from inside, in place of the credential proxy. */
const MODEL_URL = 'http://127.0.0.1:3129';

export interface TurnEnd {
  readonly exitCode: number;
  readonly lines: readonly { readonly stream: OutputStream; readonly text: string }[];
  readonly events: readonly AgentEvent[];
  readonly summary: StreamSummary;
}

/**
 * A real CLI in the agent's own container: no network, read-only system, seccomp profile. Its sidecar is in this process,
 * over a recording forge, and its model is the scripted stub. Containers are gone after each turn.
 */
export class HardenedCli {
  readonly forge = new BundleHere();
  readonly home: string;
  readonly workspace: string;
  readonly #docker = new Docker();
  readonly #dir = mkdtempSync(join(tmpdir(), 'bb-cli-'));
  #model: ModelApi | undefined;
  #turn = 0;

  constructor(
    readonly provider: AgentProvider,
    readonly modelName: string | null,
  ) {
    [this.home, this.workspace] = [join(this.#dir, 'home'), join(this.#dir, 'workspace')];
    for (const name of ['home', 'workspace', 'turn', 'config']) {
      mkdirSync(join(this.#dir, name));
      chmodSync(join(this.#dir, name), 0o777);
    }
  }

  get model(): ModelApi {
    if (this.#model === undefined) throw new Error('start it first');
    return this.#model;
  }

  async start(): Promise<void> {
    await this.forge.start();
    this.#model = await ModelApi.start({ socket: join(this.#dir, 'model.sock') });
    for (const socket of [this.forge.run.socket, join(this.#dir, 'model.sock')]) chmodSync(socket, 0o666);
    await this.inside('git init -q /workspace && touch /workspace/.git/bottle-ready');
  }

  async turn(prompt: string, options: Partial<LaunchOptions> = {}): Promise<TurnEnd> {
    this.#turn += 1;
    const launch = this.provider.launch({
      sessionId: null,
      resume: false,
      model: this.modelName,
      variant: null,
      modelUrl: MODEL_URL,
      ...options,
    });
    const keys = this.provider.access(this.modelName)?.credentials ?? [];
    await writeTurnInputFiles(join(this.#dir, 'turn'), {
      ...{ turn: this.#turn, argv: launch.argv, files: launch.files, home: launch.home, prompt },
      env: { ...Object.fromEntries(keys.map(({ keyEnv }) => [keyEnv, 'placeholder'])), ...launch.env },
      ...{ branch: 'bot-bottle/1-abcde', start: '0'.repeat(40) },
      gitUser: { name: 'agent', email: 'agent@example.test' },
      ...{ wantsSidecar: true, wantsEgress: true, resetTo: null, shallow: [], sparse: [], submodules: [] },
      ...{ setup: null, turnJson: {} },
    });
    const { exitCode, lines } = await this.#run();
    const reader = this.provider.reader();
    const events = lines.flatMap(({ stream, text }) => reader.read(stream, text));
    return { exitCode, lines, events, summary: reader.summary(exitCode, false) };
  }

  /** A script as the agent's user, in the agent's image. Errors: when it fails. */
  async inside(script: string): Promise<string> {
    const { exitCode, lines } = await this.#run(['/bin/bash', '-c', script]);
    const output = lines.map(({ text }) => text).join('\n');
    if (exitCode !== 0) throw new Error(`${script}: ${String(exitCode)}: ${output}`);
    return output;
  }

  async remove(): Promise<void> {
    await this.#model?.close();
    await this.forge.remove();
    // What the agent's uid wrote, another user may not remove.
    await this.inside('find /workspace /home/agent -mindepth 1 -delete');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async #run(entrypoint?: readonly string[]): Promise<Pick<TurnEnd, 'exitCode' | 'lines'>> {
    const at = (name: string): string => join(this.#dir, name);
    const slug = `cli-${randomBytes(4).toString('hex')}`;
    const { image } = this.provider;
    const spec = { slug, image, limits: LIMITS, env: {} };
    const dirs = { workspaceDir: this.workspace, turnDir: at('turn'), configDir: at('config') };
    const options = agentContainer({ ...spec, ...dirs }, LIMITS.cpus);
    const own = (options.HostConfig?.Mounts ?? []).filter(({ Type }) => Type === 'bind');
    const container = await this.#docker.createContainer({
      ...options,
      ...(entrypoint === undefined ? {} : { Entrypoint: [...entrypoint] }),
      Labels: { 'bot-bottle.test': slug },
      HostConfig: {
        ...options.HostConfig,
        Mounts: [
          ...own,
          bind(this.home, '/home/agent', false),
          ...(entrypoint === undefined
            ? [
                bind(this.forge.run.socket, '/run/bottle/sock/forge.sock', true),
                bind(at('model.sock'), '/run/bottle/sock/credentials.sock', true),
              ]
            : []),
        ],
      },
    });
    try {
      await container.start();
      const { StatusCode: exitCode } = (await container.wait()) as { readonly StatusCode: number };
      const log = await container.logs({ stdout: true, stderr: true, follow: true });
      return { exitCode, lines: await linesOf(log) };
    } finally {
      await container.remove({ force: true });
    }
  }
}

async function linesOf(log: NodeJS.ReadableStream): Promise<TurnEnd['lines']> {
  const text = { stdout: '', stderr: '' };
  for await (const { stream, payload } of frames(log)) text[stream] += payload.toString();
  return (['stderr', 'stdout'] as const).flatMap((stream) =>
    text[stream]
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ stream, text: line })),
  );
}
