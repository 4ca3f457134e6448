/**
 * The floor of a turn: the same CLI in a plain container of its image, with the command line that the product gives it,
 * straight at the stub of its model. Its workspace is a clone. Its forge's tools answer at once; only what a turn is there
 * for is done: the commits are pushed and a pull request is opened. The clock runs from before the container is made, or
 * started again for a second turn, to its exit.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { LAUNCH_FILES, type AgentProvider } from '../../src/domain/agent/agent-provider.js';
import { serveForgeStub } from '../../test/support/agents/forge-stub.js';
import type { Person } from '../../test/support/gitea/person.js';
import { within } from '../base/until.js';

const execute = promisify(execFile);
const LABELS = { 'bot-bottle.bench': '1' };
const TURN_MS = 60_000;
const KEY = 'sk-ant-of-the-floor';

const RUN = `mapfile -d '' -t argv </bare/argv
exec "\${argv[@]}" </bare/prompt.md
`;
const COPY = `git config --global safe.directory /workspace && cp -r /clone/. /workspace && git config user.name bench && git config user.email bench@example.invalid
git update-index -q --refresh
`;

/** A repository of a person, without a hook, so that nothing of the product hears of it. */
export interface BareRepository {
  readonly person: Person;
  /** With the person's name and token. */
  readonly cloneUrl: string;
}

export interface BareTurn {
  /** Epoch milliseconds. */
  readonly beganAt: number;
  readonly exitedAt: number;
}

export class BareCli {
  private readonly docker = new Docker();
  private container: Docker.Container | undefined;
  private forge: Server | undefined;

  private constructor(
    private readonly provider: AgentProvider,
    private readonly modelUrl: string,
    private readonly name: string,
    private readonly sessionId: string,
    private readonly dir: string,
    private readonly repository: BareRepository,
  ) {}

  static async prepare(
    provider: AgentProvider,
    modelUrl: string,
    repository: BareRepository,
  ): Promise<BareCli> {
    const seed = randomBytes(5).toString('hex');
    const sessionId = provider.newSessionId(seed);
    if (sessionId === null) throw new Error(`the sessions of ${provider.name} cannot be named`);
    const dir = await mkdtemp(join(tmpdir(), 'bb-bare-'));
    await chmod(dir, 0o755);
    for (const part of ['bare', 'files', 'sock', 'workspace']) await mkdir(join(dir, part));
    // The agent's user is nobody on this machine.
    await chmod(join(dir, 'workspace'), 0o777);
    const bare = new BareCli(provider, modelUrl, `bb-bare-${seed}`, sessionId, dir, repository);
    try {
      await bare.serveForge();
      await bare.fillWorkspace();
    } catch (error) {
      await bare.remove();
      throw error;
    }
    return bare;
  }

  /** The first call makes the container, the next one starts it again and goes on with the session. */
  async turn(prompt: string): Promise<BareTurn> {
    await this.writeTurn(prompt);
    const beganAt = Date.now();
    this.container ??= await this.create();
    await this.container.start();
    const { StatusCode: code } = (await within(
      'the floor’s turn',
      TURN_MS,
      this.container.wait() as Promise<unknown>,
    )) as { readonly StatusCode: number };
    if (code !== 0) {
      const output = (await this.container.logs({ stdout: true, stderr: true })).toString('latin1');
      throw new Error(`the floor's CLI failed (${String(code)}): ${output.slice(-2000)}`);
    }
    const { State } = await this.container.inspect();
    return { beganAt, exitedAt: Date.parse(State.FinishedAt) };
  }

  async remove(): Promise<void> {
    await this.container?.remove({ force: true, v: true });
    const empty = 'find /workspace -mindepth 1 -delete';
    await execute('docker', [...this.once(), this.provider.image, '-c', empty]);
    await execute('docker', ['volume', 'rm', '--force', `${this.name}-home`]);
    this.forge?.closeAllConnections();
    await new Promise((resolve) => (this.forge === undefined ? resolve(null) : this.forge.close(resolve)));
    await rm(this.dir, { recursive: true, force: true });
  }

  private async serveForge(): Promise<void> {
    const ok = (): string => '{"ok":true}';
    this.forge = await serveForgeStub(join(this.dir, 'sock', 'forge.sock'), {
      read_issue: ok,
      read_comments: ok,
      signal_done: ok,
      open_pr: () => this.publish(),
    });
  }

  private async publish(): Promise<string> {
    const { person, cloneUrl } = this.repository;
    const workspace = join(this.dir, 'workspace');
    const git = ['-c', `safe.directory=${workspace}`, '-C', workspace];
    await execute('git', [...git, 'push', '-q', cloneUrl, `HEAD:refs/heads/${this.name}`]);
    const pull = { head: this.name, base: 'main', title: 'Greet people by name' };
    await person.api.object('POST', `/repos/${person.repo}/pulls`, pull);
    return '{"published":true}';
  }

  private async fillWorkspace(): Promise<void> {
    const clone = join(this.dir, 'clone');
    await execute('git', ['clone', '-q', this.repository.cloneUrl, clone]);
    await execute('docker', [...this.once(), '-v', `${clone}:/clone:ro`, this.provider.image, '-c', COPY]);
  }

  /** `docker` arguments up to the image: something done in the workspace that is not measured. */
  private once(): string[] {
    return [
      ...['run', '--rm', '--network', 'none', '--entrypoint', 'bash'],
      ...['-v', `${join(this.dir, 'workspace')}:/workspace`, '-v', `${this.name}-home:/home/agent`],
    ];
  }

  private async writeTurn(prompt: string): Promise<void> {
    const { argv, files } = this.launch();
    const bare = join(this.dir, 'bare');
    await writeFile(join(bare, 'run.sh'), RUN);
    await writeFile(join(bare, 'argv'), argv.map((word) => `${word}\0`).join(''));
    await writeFile(join(bare, 'prompt.md'), prompt);
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.dir, 'files', name), text);
  }

  private launch(): ReturnType<AgentProvider['launch']> {
    return this.provider.launch({
      sessionId: this.sessionId,
      resume: this.container !== undefined,
      model: null,
      variant: null,
      modelUrl: this.modelUrl,
    });
  }

  private create(): Promise<Docker.Container> {
    const access = this.provider.access(null);
    const [key] = access?.credentials ?? [];
    const env = {
      ...(typeof access?.baseUrlEnv === 'string' ? { [access.baseUrlEnv]: this.modelUrl } : {}),
      ...(key === undefined ? {} : { [key.keyEnv]: KEY }),
      ...this.launch().env,
    };
    return this.docker.createContainer({
      name: this.name,
      Image: this.provider.image,
      Labels: LABELS,
      Entrypoint: ['bash', '/bare/run.sh'],
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      HostConfig: {
        Binds: [
          `${join(this.dir, 'workspace')}:/workspace`,
          `${this.name}-home:/home/agent`,
          `${join(this.dir, 'bare')}:/bare:ro`,
          `${join(this.dir, 'files')}:${LAUNCH_FILES}:ro`,
          `${join(this.dir, 'sock')}:/run/bottle/sock:ro`,
        ],
      },
    });
  }
}
