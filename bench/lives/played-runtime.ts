import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentForge } from '../../src/bundle/plane/method.js';
import { DEFAULT_RATE_LIMITS } from '../../src/bundle/plane/rate-limit.js';
import { startBundle, type RunningBundle } from '../../src/bundle/start-bundle.js';
import type {
  BottleRuntime,
  BundleContainerSpec,
  ContainerRole,
  ContainerState,
  LogLine,
  OneShotResult,
  OneShotSpec,
} from '../../src/domain/bottle/bottle-runtime.js';
import type { RepoRef } from '../../src/domain/forge/issue.js';
import { NO_BUDGET } from '../../src/domain/run/model-use.js';
import { rpc } from '../../test/support/bundle/unix-http.js';
import { playedExtraction } from './played-git.js';

const NEVER_STARTED = '0001-01-01T00:00:00Z';
const IMAGE_ID = `sha256:${'1'.repeat(64)}`;
const LOOK_MS = 20;
/** What the tar of the scripted agent's session has after one turn, bytes. */
const SESSION_BYTES = 3072;

interface Played {
  state: ContainerState;
  log: LogLine[];
}

/**
 * Bottles without an engine: the sidecar is the real one, in this process; the agent is played, and does what the
 * scripted agent does: it reads its issue, opens its pull request, says that it is done, and exits. Nothing runs
 * between turns, as with containers.
 */
export class PlayedRuntime implements BottleRuntime {
  readonly #containers = new Map<string, Played>();
  readonly #bundles = new Map<string, RunningBundle>();
  readonly #specs = new Map<string, BundleContainerSpec>();
  readonly #forgeFor: (repo: RepoRef) => AgentForge;
  #sockets: Promise<string> | undefined;

  constructor(forgeFor: (repo: RepoRef) => AgentForge) {
    this.#forgeFor = forgeFor;
  }

  /** Sidecars and agents that run now. */
  get running(): number {
    return [...this.#containers.values()].filter(({ state }) => state.status === 'running').length;
  }

  async close(): Promise<void> {
    for (const bundle of this.#bundles.values()) await bundle.stop();
    if (this.#sockets !== undefined) await rm(await this.#sockets, { recursive: true, force: true });
  }

  createBundle(spec: BundleContainerSpec): Promise<ContainerState> {
    this.#specs.set(spec.slug, spec);
    return Promise.resolve(this.#create(spec.slug, 'bundle'));
  }

  createAgent({ slug }: { readonly slug: string }): Promise<ContainerState> {
    return Promise.resolve(this.#create(slug, 'agent'));
  }

  inspect(slug: string, role: ContainerRole): Promise<ContainerState | undefined> {
    return Promise.resolve(this.#containers.get(keyOf(slug, role))?.state);
  }

  async start(slug: string, role: ContainerRole): Promise<ContainerState> {
    const container = this.#needed(slug, role);
    if (container.state.status === 'running') return container.state;
    if (role === 'bundle') await this.#startBundle(slug);
    container.state = { ...container.state, status: 'running', startedAt: new Date().toISOString() };
    if (role === 'agent') void this.#play(slug, container);
    return container.state;
  }

  async stop(slug: string, role: ContainerRole): Promise<void> {
    const container = this.#containers.get(keyOf(slug, role));
    if (container?.state.status !== 'running') return;
    if (role === 'bundle') {
      await this.#bundles.get(slug)?.stop();
      this.#bundles.delete(slug);
    }
    exited(container, role === 'agent' ? 143 : 0);
  }

  remove(slug: string, role: ContainerRole): Promise<void> {
    this.#containers.delete(keyOf(slug, role));
    return Promise.resolve();
  }

  removeVolumes(): Promise<void> {
    return Promise.resolve();
  }

  async waitForExit(slug: string, role: ContainerRole, signal: AbortSignal): Promise<number> {
    const container = this.#needed(slug, role);
    while (container.state.status === 'running') await delay(LOOK_MS, undefined, { signal });
    return container.state.exitCode;
  }

  async followLogs(
    ...[slug, role, since, signal, onLine, onCaughtUp]: Parameters<BottleRuntime['followLogs']>
  ): ReturnType<BottleRuntime['followLogs']> {
    onCaughtUp?.();
    await this.waitForExit(slug, role, signal);
    for (const line of this.#needed(slug, role).log) if (line.at > (since[line.stream] ?? '')) onLine(line);
    return { mayHaveGap: false };
  }

  list(): ReturnType<BottleRuntime['list']> {
    return Promise.resolve([]);
  }

  runningAgents(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  runOnce(spec: OneShotSpec): Promise<OneShotResult> {
    const branch = spec.argv[spec.argv.indexOf('extract', 4) + 1];
    if (branch === undefined) throw new Error(`nobody plays ${spec.name}`);
    return Promise.resolve({ exitCode: 0, stdout: playedExtraction(branch), stderr: '' });
  }

  archive(): ReturnType<BottleRuntime['archive']> {
    return Promise.resolve({ tar: Buffer.alloc(SESSION_BYTES), truncated: false });
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  removeObject(): Promise<void> {
    return Promise.resolve();
  }

  knowsRuntime(): Promise<boolean> {
    return Promise.resolve(true);
  }

  buildImage(): ReturnType<BottleRuntime['buildImage']> {
    return Promise.reject(new Error('the played agent has no Dockerfile'));
  }

  pinImage(_slug: string, image: string): Promise<string> {
    return Promise.resolve(image);
  }

  unpinImage(): Promise<void> {
    return Promise.resolve();
  }

  pinnedRuns(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  #create(slug: string, role: ContainerRole): ContainerState {
    const key = keyOf(slug, role);
    const known = this.#containers.get(key);
    if (known !== undefined) return known.state;
    const state: ContainerState = {
      id: key,
      imageId: IMAGE_ID,
      status: 'created',
      startedAt: NEVER_STARTED,
      finishedAt: NEVER_STARTED,
      exitCode: 0,
      oomKilled: false,
    };
    this.#containers.set(key, { state, log: [] });
    return state;
  }

  #needed(slug: string, role: ContainerRole): Played {
    const found = this.#containers.get(keyOf(slug, role));
    if (found === undefined) throw new Error(`${slug} has no ${role}`);
    return found;
  }

  async #socket(slug: string): Promise<string> {
    // Not in the run's directory, where the product has none: it is in a volume.
    this.#sockets ??= mkdtemp(join(tmpdir(), 'bb-played-'));
    return join(await this.#sockets, `${slug}.sock`);
  }

  async #startBundle(slug: string): Promise<void> {
    const spec = this.#specs.get(slug);
    if (spec === undefined) throw new Error(`${slug} has no bundle`);
    const { env, queueOutDir, queueInDir, tokenFile, configDir, secretsDir } = spec;
    const [owner = '', repo = '', issue = ''] = [
      env['FORGE_OWNER'],
      env['FORGE_REPO'],
      env['FORGE_ISSUE_NUMBER'],
    ];
    const forgeSocket = await this.#socket(slug);
    const config = {
      slug,
      hasForge: true,
      forgeApi: env['FORGE_GITEA_API'] ?? '',
      owner,
      repo,
      issue: Number(issue),
      pr: null,
      turn: 1,
      goesOnWith: null,
      forgeTransportSocket: null,
      rateLimits: DEFAULT_RATE_LIMITS,
      egressUploadBytes: 0,
      budget: NO_BUDGET,
      readers: null,
      prices: [],
      paths: {
        forgeSocket,
        egressSocket: `${forgeSocket}.egress`,
        credentialSocket: `${forgeSocket}.credentials`,
        currentConfig: configDir,
        secrets: secretsDir,
        queueOut: queueOutDir,
        queueIn: queueInDir,
        tokenFile: tokenFile ?? '',
        caFile: '',
      },
    } as const;
    const forge = this.#forgeFor({ forge: 'gitea', owner, repo });
    const parts = {
      forge: () => Promise.resolve(forge),
      log: () => undefined,
      redact: (text: string) => text,
    };
    this.#bundles.set(slug, await startBundle(config, parts));
  }

  async #play(slug: string, container: Played): Promise<void> {
    const say = (event: Readonly<Record<string, unknown>>): void => {
      const at = new Date(Date.now()).toISOString();
      container.log.push({ stream: 'stdout', at, text: JSON.stringify(event) });
    };
    try {
      const issue = Number(this.#specs.get(slug)?.env['FORGE_ISSUE_NUMBER']);
      for (const [name, input] of [
        ['read_issue', { number: issue }],
        ['open_pr', { title: 'The greeting says what it ought to', body: 'It said something else before.' }],
        ['signal_done', { status: 'success', summary: 'the greeting is right, and has a test' }],
      ] as const) {
        say({ type: 'tool_use', name, input });
        const { result, error } = await rpc(await this.#socket(slug), name, input);
        say({ type: 'tool_result', name, is_error: error !== undefined, result: result ?? error });
        if (error !== undefined) throw new Error(`${name}: ${error.message}`);
      }
      exited(container, 0);
    } catch (error) {
      container.log.push({ stream: 'stderr', at: new Date().toISOString(), text: String(error) });
      exited(container, 1);
    }
  }
}

function keyOf(slug: string, role: ContainerRole): string {
  return `bb-${slug}-${role}`;
}

function exited(container: Played, exitCode: number): void {
  const finishedAt = new Date().toISOString();
  container.state = { ...container.state, status: 'exited', finishedAt, exitCode };
}
