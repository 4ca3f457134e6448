/**
 * The publish gate with everything real around it but Temporal: a Gitea, the engine, the agent image's own entrypoint,
 * the host's files and git. The agent is a shell script.
 */
import { OneByOne } from '../../../src/domain/base/one-by-one.js';
import { NO_BUDGET } from '../../../src/domain/run/model-use.js';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts, HostSettings } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { publishWork } from '../../../src/activities/publish/publish-work.js';
import { settleTurn } from '../../../src/activities/settle-turn.js';
import { fetchRefs, type FetchedRefs } from '../../../src/activities/turn/begin/fetch-refs.js';
import { protectedCommit } from '../../../src/activities/turn/begin/protected-commit.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { TurnSlots } from '../../../src/activities/ports/turn-slots.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import {
  dockerBottleRuntime,
  type DockerBottleRuntime,
} from '../../../src/adapters/docker/docker-runtime.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import type { GitLimits } from '../../../src/adapters/git/git-limits.js';
import { SystemGitRepository } from '../../../src/adapters/git/system-git-repository.js';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { connectForge, connectForks } from '../../../src/wiring/connect-forge.js';
import type { OneShotSpec } from '../../../src/domain/bottle/bottle-runtime.js';
import type { PreparedTurn, SettledTurn } from '../../../src/domain/run/events.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import type { PublishLimits } from '../../../src/domain/workspace/git-repository.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { branchOf } from '../../../src/domain/run/slug.js';
import type { DoneStatus, PublishResult } from '../../../src/domain/run/turn.js';
import { gitEnvironment } from '../git/environment.js';
import type { Person } from '../gitea/person.js';
import type { Gitea } from '../gitea/start-gitea.js';
import { gitleaksBinary } from '../gitleaks/binary.js';
import { idleDiskGuard, sampleHostSettings } from '../host/sample-host.js';
import { turnResult } from '../machine/world.js';
import { sampleBottle } from '../manifests/samples.js';

const MIB = 1024 * 1024;
export const AGENT = { name: 'Bottle Agent', email: 'agent@bot-bottle.invalid' };
const AGENT_IMAGE = 'bot-bottle/agent-scripted:dev';

export interface GateWorldOptions {
  /** Of the issue. */
  readonly title?: string;
  readonly prepared?: Partial<Pick<PreparedTurn, 'allowPaths' | 'drafts' | 'baseBranches'>>;
  readonly settings?: Partial<HostSettings>;
  readonly publishLimits?: Partial<PublishLimits>;
  /** Of each git process that looks at the commits. */
  readonly gitLimits?: GitLimits;
  /** `FORGE_PUBLISH=fork` */
  readonly fork?: boolean;
  /** Another run in the repository of this one. */
  readonly beside?: GateWorld;
}

export class GateWorld {
  turn = 0;
  head: string | null = null;
  stuckHash: string | null = null;
  latestPr: number | null = null;
  refs: FetchedRefs | undefined;

  private constructor(
    readonly gitea: Gitea,
    readonly home: string,
    readonly slug: string,
    readonly subject: SubjectRef,
    readonly alice: Person,
    readonly forge: Forge,
    public ports: HostPorts,
    readonly runtime: DockerBottleRuntime,
    readonly prepared: PreparedTurn,
  ) {}

  static async create(gitea: Gitea, options: GateWorldOptions = {}): Promise<GateWorld> {
    const suffix = randomBytes(5).toString('hex').slice(0, 5);
    const { beside } = options;
    const repository =
      beside === undefined ? await gitea.addRepository(gitea.alice, `gate-${suffix}`) : beside.repository;
    const alice = gitea.alice.on(repository);
    const { title = 'Something to do' } = options;
    const number = await alice.createIssue({ title, body: 'Please.' });
    const [owner = '', repo = ''] = repository.split('/');
    const subject: SubjectRef = { forge: 'gitea', owner, repo, number };
    const slug = `implementer-gate-${suffix}`;
    const home = await mkdtemp(join(tmpdir(), 'bot-bottle-gate-'));
    const { sidecarToken, publisherToken } = gitea.bot;
    const runtime = dockerBottleRuntime();
    const secrets = new SecretGuard(await GitleaksScanner.start({ program: gitleaksBinary() }), () => [
      { name: 'forge-token', value: sidecarToken },
      { name: 'publish-token', value: publisherToken },
    ]);
    const blobs = new LocalBlobStore(home);
    const connect = (token: string) => connectForge({ baseUrl: `${gitea.url}/api/v1`, token, caFile: null });
    const ports: HostPorts = {
      host: 'test',
      hasSecret: () => false,
      isPublicSuffix: () => false,
      runtime,
      files: new LocalRunFiles({
        home,
        forgeToken: () => Promise.resolve(sidecarToken),
        secret: () => Promise.reject(new Error('no secrets here')),
      }),
      queue: new LocalQueueDirectory({ home }),
      blobs,
      underWay: await UnderWayFiles.open(home),
      git: new SystemGitRepository({
        mirrorsDir: join(home, 'mirrors'),
        cloneUrl: (one) => `${gitea.url}/${one.owner}/${one.repo}.git`,
        webUrl: gitea.url,
        readToken: () => sidecarToken,
        publishToken: () => publisherToken,
        secrets,
        ...(options.gitLimits === undefined ? {} : { limits: options.gitLimits }),
      }),
      secrets,
      forgeFor: connect(publisherToken),
      forks:
        options.fork === true
          ? connectForks({ baseUrl: `${gitea.url}/api/v1`, token: publisherToken, caFile: null })
          : null,
      channel: {
        tell: () => Promise.resolve(),
        openPr: () => Promise.reject(new Error('no workflow here')),
        propose: () => Promise.reject(new Error('no workflow here')),
        isCurrent: () => Promise.resolve(true),
      },
      // Without a container of its own there is no session to take along.
      provider: (name) => ({ ...agentProvider(name), sessionPaths: [] }),
      slots: new TurnSlots(1, () => Promise.resolve([])),
      placing: new OneByOne(),
      disk: idleDiskGuard(),
      clock: { now: Date.now },
      log: { info: () => undefined, warn: () => undefined },
      settings: sampleHostSettings({
        forgeApi: `${gitea.url}/api/v1`,
        publishLimits: {
          ...{ maxBytes: 16 * MIB, maxFiles: 100, maxCommits: 50, maxFileBytes: 8 * MIB },
          ...options.publishLimits,
        },
        requestReview: true,
        ...options.settings,
      }),
    };
    const prepared: PreparedTurn = {
      promptRef: await blobs.put('work'),
      branch: branchOf(slug, number),
      readKeys: [],
      provider: 'scripted',
      model: null,
      image: AGENT_IMAGE,
      env: {},
      limits: { memoryBytes: 256 * MIB, cpus: 1, pids: 64 },
      gitUser: AGENT,
      baseBranches: [],
      bottleNames: ['default'],
      allowPaths: [],
      drafts: false,
      bottleRef: await blobs.put(JSON.stringify(sampleBottle())),
      ...options.prepared,
    };
    const forge = ports.forgeFor(subject);
    return new GateWorld(gitea, home, slug, subject, alice, forge, ports, runtime, prepared);
  }

  get branch(): string {
    return this.prepared.branch;
  }

  /** `owner/name` */
  get repository(): string {
    return `${this.subject.owner}/${this.subject.repo}`;
  }

  get workspace(): string {
    return this.ports.files.paths(this.slug).workspace;
  }

  /** The run was moved here, and the first turn since is about to begin. @param moved what the workflow knows of this host */
  moved(moved: 'kept' | 'lost', epoch = 1): RunTurnInput {
    return { ...this.#turnInput(), turn: this.turn + 1, epoch, moved };
  }

  /** A whole turn up to its agent's exit: refs are fetched, and the script runs as the agent's program. Answers its output. */
  async agent(script: string): Promise<string> {
    this.turn += 1;
    const { files } = this.ports;
    const paths = await files.prepare(this.slug);
    const input = this.#turnInput();
    const refs = await fetchRefs(this.ports, input, sampleBottle(), paths, new AbortController().signal);
    this.refs = refs;
    await files.writeTurnInput(this.slug, {
      turn: this.turn,
      argv: ['/bin/sh', '-ec', script],
      env: {},
      prompt: 'work',
      branch: this.branch,
      start: refs.startSha,
      gitUser: AGENT,
      ...{ wantsSidecar: false, wantsEgress: false },
      resetTo: refs.resetTo,
      ...{ shallow: [], sparse: [], submodules: [], home: {}, files: {}, setup: null },
      turnJson: {},
    });
    const baseSha = await protectedCommit(this.ports, input, refs, paths.isNew);
    await files.writeTurn(this.slug, {
      ...blankTurnRecord(this.turn),
      refs,
      baseSha,
      knownStuck: refs.knownStuck,
    });
    return this.more();
  }

  /** Goes on in the same turn with the same script, or another one. */
  async more(script?: string): Promise<string> {
    const paths = this.ports.files.paths(this.slug);
    const spec: OneShotSpec = {
      name: 'agent',
      slug: this.slug,
      image: AGENT_IMAGE,
      argv:
        script === undefined
          ? ['/usr/local/bin/bottle-entrypoint']
          : ['/bin/sh', '-ec', `cd /workspace; ${script}`],
      user: 'agent',
      mounts: [
        { source: paths.workspace, target: '/workspace', readOnly: false },
        { source: paths.turnInput, target: '/run/bottle/turn', readOnly: true },
      ],
      env: script === undefined ? {} : { HOME: '/tmp' },
      timeoutMs: 60_000,
      maxOutputBytes: MIB,
    };
    const output = await this.runtime.runOnce(spec);
    if (output.exitCode !== 0)
      throw new Error(`the agent ended with ${String(output.exitCode)}: ${output.stderr}`);
    return Buffer.from(output.stdout).toString();
  }

  async openPr(title: string, body = ''): Promise<PublishResult> {
    const contentRef = await this.ports.blobs.put(JSON.stringify({ title, body }));
    const result = await publishWork(this.ports, { ...this.#publisher(), requestId: 'request1', contentRef });
    if (result.kind === 'published') this.latestPr = result.pr;
    return result;
  }

  /** The end of the turn, as the workflow asks for it. */
  async settle(status: DoneStatus | null = 'success', summary = ''): Promise<SettledTurn> {
    const summaryRef = summary === '' ? '' : await this.ports.blobs.put(summary);
    const done = status === null ? null : { id: 'done1', status, summaryRef };
    const result = turnResult({ done, baseSha: '', sessionId: null });
    const settled = await settleTurn(this.ports, {
      ...this.#publisher(),
      result,
      publish: true,
    });
    this.head = settled.head ?? this.head;
    this.stuckHash = settled.stuckHash;
    if (settled.publish.kind === 'published') this.latestPr = settled.publish.pr;
    return settled;
  }

  /** Tip of a branch on the forge, `undefined` when there is none. */
  async tip(branch = this.branch, repository = this.repository): Promise<string | undefined> {
    const branches = await this.alice.api.list(`/repos/${repository}/branches?limit=50`);
    const found = branches.find(({ name }) => name === branch);
    return found === undefined ? undefined : (found['commit'] as { id: string }).id;
  }

  async pulls(): Promise<Record<string, unknown>[]> {
    return this.alice.api.list(`/repos/${this.subject.owner}/${this.subject.repo}/pulls?state=all&limit=50`);
  }

  /** A work tree of the person's own, with a remote that may push. */
  clone(branch = 'main', repository = this.repository): string {
    const dir = join(this.home, `person-${randomBytes(4).toString('hex')}`);
    const url = new URL(`${this.gitea.url}/${repository}.git`);
    url.username = this.alice.login;
    url.password = this.alice.password;
    this.git(this.home, 'clone', '-q', '-b', branch, url.href, dir);
    return dir;
  }

  /** git as the person, outside the bottle. */
  git(dir: string, ...args: readonly string[]): string {
    const env = gitEnvironment(this.alice.login, 'example.invalid');
    return execFileSync('git', ['-C', dir, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trim();
  }

  async file(path: string): Promise<string> {
    return readFile(join(this.ports.files.paths(this.slug).root, path), 'utf8');
  }

  async remove(): Promise<void> {
    const left = await this.runtime.list(this.slug);
    await rm(this.home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ name }) => name).join(', ')}`);
  }

  #turnInput(): RunTurnInput {
    return {
      ...this.#publisher(),
      sessionId: null,
      prNumber: this.latestPr,
      head: this.head,
      turnTimeoutMs: 60_000,
      doneGraceMs: 1_000,
      budget: NO_BUDGET,
      begun: false,
      goesOnWith: null,
      stop: null,
    };
  }

  #publisher() {
    return {
      workflowId: 'test',
      repoId: null,
      subject: this.subject,
      slug: this.slug,
      turn: this.turn,
      prepared: this.prepared,
      triggerActor: this.alice.login,
      latestPr: this.latestPr,
      stuckHash: this.stuckHash,
    };
  }
}

/** The reason, or a failure that shows what came instead. */
export function refusalOf(result: PublishResult): string {
  if (result.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(result)}`);
  return result.reason;
}
