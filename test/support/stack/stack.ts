/** Everything for real: a Gitea, and `bot-bottle up` with its Temporal server, webhook and worker, as processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import { stateQuery, timelineQuery, type RunView } from '../../../src/workflows/messages.js';
import { startGitea, type Gitea } from '../gitea/start-gitea.js';
import { freePort } from '../ports/free-port.js';
import { PATIENCE } from '../scale/patience.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Compiled, as users run it; `script/bootstrap --only build` makes it. */
const PRODUCT = 'dist/cli.js';

/** Between two looks at a run's history. */
const LOOK_MS = 150;
/** To try another image of the sidecar than the one that everything else uses. */
const { BOT_BOTTLE_TEST_BUNDLE_IMAGE: BUNDLE_IMAGE } = process.env;

export interface StackOptions {
  /** More settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the output of the processes goes. */
  readonly onOutput?: (text: string) => void;
  /** Whether the forge has a hook. Then nothing polls; else polling is all there is, as `env` says. */
  readonly hook?: boolean;
}

export class Stack {
  private up: ChildProcess | undefined;
  output = '';

  private constructor(
    readonly gitea: Gitea,
    readonly home: string,
    readonly env: Readonly<Record<string, string>>,
    readonly webhookUrl: string,
    readonly webhookSecret: string,
    readonly temporalAddress: string,
    readonly uiUrl: string,
    private readonly onOutput: (text: string) => void,
  ) {}

  /** A forge and a configured home; nothing of ours runs yet. */
  static async prepare(options: StackOptions = {}): Promise<Stack> {
    // Short: a Unix socket's path has 107 bytes.
    const home = await mkdtemp(join(tmpdir(), 'bb-'));
    const [webhookPort, temporalPort, uiPort] = await Promise.all([freePort(), freePort(), freePort()]);
    const webhookUrl = `http://127.0.0.1:${String(webhookPort)}/webhooks/gitea`;
    const webhookSecret = randomBytes(24).toString('hex');
    const { hook = true } = options;
    const gitea = await startGitea(hook ? { webhook: { url: webhookUrl, secret: webhookSecret } } : {}).catch(
      async (error: unknown) => {
        await rm(home, { recursive: true, force: true });
        throw error;
      },
    );
    await mkdir(join(home, 'secrets'), { mode: 0o700 });
    const secrets = {
      'forge-token': gitea.bot.sidecarToken,
      'publish-token': gitea.bot.publisherToken,
      'webhook-secret': webhookSecret,
    };
    for (const [name, value] of Object.entries(secrets))
      await writeFile(join(home, 'secrets', name), value, { mode: 0o600 });
    const temporalAddress = `127.0.0.1:${String(temporalPort)}`;
    const env = {
      BOT_BOTTLE_HOME: home,
      FORGE_GITEA_API: `${gitea.url}/api/v1`,
      FORGE_PUBLISH_TOKEN_FILE: join(home, 'secrets/publish-token'),
      API_LISTEN: 'off',
      WEBHOOK_LISTEN: `127.0.0.1:${String(webhookPort)}`,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_UI_PORT: String(uiPort),
      ...(hook ? { FORGE_POLL_INTERVAL: 'off' } : {}),
      ...(BUNDLE_IMAGE === undefined ? {} : { BUNDLE_IMAGE }),
      ...options.env,
    };
    const uiUrl = `http://127.0.0.1:${String(uiPort)}`;
    return new Stack(
      gitea,
      home,
      env,
      webhookUrl,
      webhookSecret,
      temporalAddress,
      uiUrl,
      options.onOutput ?? whenAsked,
    );
  }

  /** The command line, as a process; resolves when it ends. */
  async cli(
    args: readonly string[],
    input = '',
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const child = this.spawn(args, ['pipe', 'pipe', 'pipe']);
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin?.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, stdout, stderr };
  }

  /** A command that does what it is asked for; resolves with its standard output. Errors: when it does not. */
  async run(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.cli(args, input);
    if (code !== 0) throw new Error(`bot-bottle ${args.join(' ')} ended with ${String(code)}: ${stderr}`);
    return stdout;
  }

  /** Starts `bot-bottle up` and waits until it says that it is up. */
  async start(): Promise<void> {
    const child = this.spawn(['up'], ['ignore', 'pipe', 'pipe']);
    this.up = child;
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
      this.output += chunk.toString();
      this.onOutput(chunk.toString());
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    await waitUntil('`up` to be up', () => {
      if (child.exitCode !== null) throw new Error(`up ended with ${String(child.exitCode)}:\n${text}`);
      return text.includes('worker runs');
    });
  }

  /** Ends `up`: in good order with SIGINT, or as the machine would with SIGKILL. */
  async stopUp(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const child = this.up;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
    this.up = undefined;
  }

  /** Another service of this stack, such as `worker`, as a process whose output is taken with the rest. */
  service(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    script = PRODUCT,
  ): ChildProcess {
    const child = this.spawn(args, ['ignore', 'pipe', 'pipe'], env, script);
    const take = (chunk: Buffer): void => {
      this.output += chunk.toString();
      this.onOutput(chunk.toString());
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    return child;
  }

  get upProcess(): ChildProcess {
    if (this.up === undefined) throw new Error('`up` does not run');
    return this.up;
  }

  /** A client of the stack's Temporal; the caller closes its connection. */
  async client(): Promise<Client> {
    return new Client({ connection: await Connection.connect({ address: this.temporalAddress }) });
  }

  async view(client: Client, subject: SubjectRef): Promise<RunView | undefined> {
    try {
      return await client.workflow.getHandle(workflowIdOf(subject)).query(stateQuery);
    } catch {
      return undefined;
    }
  }

  /** Which execution it is and how far it has got. */
  private async historyOf(client: Client, subject: SubjectRef): Promise<string | undefined> {
    try {
      const { runId, historyLength } = await client.workflow.getHandle(workflowIdOf(subject)).describe();
      return `${runId} ${String(historyLength)}`;
    } catch {
      return undefined;
    }
  }

  /**
   * Waits for a state of the run; says where it stood when that takes too long.
   * @param isLikely asked before the workflow is, which a query costs more
   */
  async until(
    client: Client,
    subject: SubjectRef,
    what: string,
    condition: (view: RunView) => boolean,
    timeoutMs = 60_000,
    isLikely: () => boolean | Promise<boolean> = () => true,
  ): Promise<RunView> {
    let last: RunView | undefined;
    let asked: string | undefined;
    const isReached = async (): Promise<boolean> => {
      if (!(await isLikely())) return false;
      // A query is a task of the worker under test, and answers as before while nothing has happened.
      const history = await this.historyOf(client, subject);
      if (history === undefined || history === asked) return false;
      last = await this.view(client, subject);
      if (last === undefined) return false;
      asked = history;
      return condition(last);
    };
    try {
      await waitUntil(what, isReached, timeoutMs, LOOK_MS);
    } catch (error) {
      last = await this.view(client, subject);
      const timeline = await client.workflow
        .getHandle(workflowIdOf(subject))
        .query(timelineQuery)
        .catch(() => []);
      throw new Error(
        `${what} was not reached: ${JSON.stringify(last)}\n${JSON.stringify(timeline, null, 1)}\n${this.output.slice(-6000)}`,
        { cause: error },
      );
    }
    if (last === undefined) throw new Error('unreachable');
    return last;
  }

  async remove(): Promise<void> {
    await this.stopUp();
    await this.gitea.stop();
    await rm(this.home, { recursive: true, force: true });
  }

  private spawn(
    args: readonly string[],
    stdio: ('ignore' | 'pipe')[],
    more: Readonly<Record<string, string>> = {},
    script = PRODUCT,
  ): ChildProcess {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, ...this.env, ...more };
    const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
    return spawn(process.execPath, [...loader, script, ...args], { cwd: ROOT, env, stdio });
  }
}

/** A test that fails is run again with BOT_BOTTLE_TEST_LOG to see what its processes say. */
function whenAsked(text: string): void {
  if (process.env['BOT_BOTTLE_TEST_LOG'] !== undefined) process.stderr.write(text);
}

export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
  everyMs = 50,
): Promise<void> {
  const deadline = Date.now() + timeoutMs * PATIENCE;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${String(timeoutMs)} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
