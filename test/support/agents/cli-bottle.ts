/**
 * A provider's real CLI in a container of its image, hardened and without a network, with a stub of its model and of the
 * forge: what it prints, and whether it finds its session again. The product's own way of starting it is tested end to end.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { AgentProvider, LaunchOptions } from '../../../src/domain/agent/agent-provider.js';
import type { OutputStream, StreamSummary } from '../../../src/domain/agent/agent-stream.js';
import { PLACEHOLDER_KEY } from '../../../src/domain/egress/route.js';
import { waitUntil } from '../stack/stack.js';
import { ModelApi } from '../model-api/model-api.js';
import { serveForgeStub } from './forge-stub.js';

const execute = promisify(execFile);
/** A CLI that waits for something that does not come would wait for as long as the test lets it. */
const LIMIT_S = 60;

export interface CliLine {
  readonly stream: OutputStream;
  readonly text: string;
}

export interface CliRun {
  readonly lines: readonly CliLine[];
  readonly exitCode: number;
  readonly summary: StreamSummary;
}

export interface CliTurn extends Partial<LaunchOptions> {
  readonly prompt?: string;
  /** Name of the secret that the operator has; the first that the provider looks for if not said. */
  readonly secret?: string;
  /** More files of the home. */
  readonly home?: Readonly<Record<string, string>>;
  /** Kills the container when a line has this, and the session's files: they are written a moment later. */
  readonly killAt?: string;
}

/** Forwards the model's port to the stub and becomes the CLI. */
const ENTRY = `
cp -rT /run/bottle/turn/home "$HOME"
socat TCP-LISTEN:3129,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:/run/bottle/sock/model.sock </dev/null >/dev/null 2>&1 &
until (: </dev/tcp/127.0.0.1/3129) 2>/dev/null; do sleep 0.02; done
exec timeout ${String(LIMIT_S)} "$@"
`;

export class CliBottle {
  readonly #name = `bb-cli-test-${randomBytes(5).toString('hex')}`;
  readonly #forge: Server;

  private constructor(
    readonly provider: AgentProvider,
    readonly api: ModelApi,
    private readonly dir: string,
    forge: Server,
  ) {
    this.#forge = forge;
  }

  /** @param forgeStartMs how long the sidecar takes to answer a CLI's hello */
  static async open(provider: AgentProvider, forgeStartMs = 0): Promise<CliBottle> {
    const dir = await mkdtemp(join(tmpdir(), 'bb-cli-'));
    await chmod(dir, 0o755);
    const sock = join(dir, 'sock');
    await mkdir(sock);
    const api = await ModelApi.start({ socket: join(sock, 'model.sock') });
    await chmod(join(sock, 'model.sock'), 0o666);
    return new CliBottle(
      provider,
      api,
      dir,
      await serveForgeStub(join(sock, 'forge.sock'), undefined, forgeStartMs),
    );
  }

  /** Where the model is asked; a proxy's socket may take its place. */
  get modelSocket(): string {
    return join(this.dir, 'sock', 'model.sock');
  }

  /** One turn, in a container of its own; the home stays. */
  async turn({ prompt = 'Do the work.', secret, home = {}, killAt, ...options }: CliTurn): Promise<CliRun> {
    const { provider } = this;
    const modelUrl = options.modelUrl ?? 'http://127.0.0.1:3129';
    const launch = provider.launch({
      sessionId: null,
      resume: false,
      model: null,
      variant: null,
      modelUrl,
      ...options,
    });
    const turn = await this.#turnDirectory({ files: launch.files, home: { ...launch.home, ...home } });
    const access = provider.access(options.model ?? null);
    const key = access?.credentials.find((one) => secret === undefined || one.secret === secret);
    const variables = {
      ...(typeof access?.baseUrlEnv === 'string' ? { [access.baseUrlEnv]: modelUrl } : {}),
      ...(key === undefined ? {} : { [key.keyEnv]: PLACEHOLDER_KEY }),
      ...launch.env,
    };
    const child = spawn(
      'docker',
      [
        ...['run', '--rm', '-i', '--name', this.#name, '--network', 'none', '--read-only', '--tmpfs', '/tmp'],
        ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', '1000:1000'],
        ...['--tmpfs', '/workspace:uid=1000,gid=1000', '-v', `${this.#name}:/home/agent`],
        ...['-v', `${turn}:/run/bottle/turn:ro`, '-v', `${join(this.dir, 'sock')}:/run/bottle/sock:ro`],
        ...Object.entries(variables).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
        ...['--entrypoint', 'bash', provider.image, '-c', ENTRY, 'bottle', ...launch.argv],
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    child.stdin.end(prompt);
    const lines: CliLine[] = [];
    let killed: Promise<void> | undefined;
    for (const stream of ['stdout', 'stderr'] as const) {
      createInterface({ input: child[stream] }).on('line', (text) => {
        lines.push({ stream, text });
        if (killAt !== undefined && text.includes(killAt)) killed ??= this.#killWhenWritten(killAt);
      });
    }
    const exitCode = await new Promise<number>((resolve) => {
      child.once('close', (code) => {
        resolve(code ?? -1);
      });
    });
    await killed;
    return { lines, exitCode, summary: summaryOf(provider, lines, exitCode) };
  }

  async #killWhenWritten(text: string): Promise<void> {
    const look = ['exec', this.#name, 'grep', '-rqsF', text, ...this.provider.sessionPaths];
    await waitUntil(`"${text}" in the session`, () =>
      execute('docker', look).then(
        () => true,
        () => false,
      ),
    );
    await execute('docker', ['kill', this.#name]);
  }

  /** Takes the session's files out, removes the home, and puts them into a new one: all that a lost host leaves. */
  async loseHomeButSession(): Promise<void> {
    const { provider } = this;
    const paths = provider.sessionPaths.map((path) => `"${path.slice(1)}"`).join(' ');
    const tar = join(this.dir, 'session.tar');
    const home = ['-v', `${this.#name}:/home/agent`, '--entrypoint', 'bash', provider.image, '-c'];
    const shared = ['run', '--rm', '--network', 'none', '-v', `${this.dir}:/out`];
    await execute('docker', [
      ...shared,
      ...['--user', '0', ...home, `tar -C / -cf /out/session.tar ${paths}`],
    ]);
    await execute('docker', ['volume', 'rm', this.#name]);
    await execute('docker', [...shared, ...home, 'tar -C / -xf /out/session.tar']);
    await rm(tar);
  }

  async close(): Promise<void> {
    await execute('docker', ['volume', 'rm', '-f', this.#name]);
    await this.api.close();
    await new Promise((resolve) => this.#forge.close(resolve));
    await rm(this.dir, { recursive: true, force: true });
  }

  async #turnDirectory(parts: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<string> {
    const turn = join(this.dir, 'turn');
    await rm(turn, { recursive: true, force: true });
    for (const [part, files] of Object.entries(parts)) {
      await mkdir(join(turn, part), { recursive: true });
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(turn, part, name)), { recursive: true });
        await writeFile(join(turn, part, name), text);
      }
    }
    return turn;
  }
}

export function summaryOf(
  provider: AgentProvider,
  lines: readonly CliLine[],
  exitCode: number,
): StreamSummary {
  const reader = provider.reader();
  for (const { stream, text } of lines) reader.read(stream, text);
  return reader.summary(exitCode, false);
}
