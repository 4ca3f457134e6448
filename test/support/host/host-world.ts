/**
 * What a host's activities need, without engine, git and Temporal: for what the activities make of their answers and faults.
 * Files, blobs and marks are real.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunRef, RunTurnInput, SettleTurnInput } from '../../../src/activities/ports/inputs.js';
import type { SecretFor } from '../../../src/activities/sync/sync-ports.js';
import { TurnSlots } from '../../../src/activities/ports/turn-slots.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { OneByOne } from '../../../src/domain/base/one-by-one.js';
import type { TurnBottle } from '../../../src/domain/bottle/bottle-setup.js';
import type {
  BottleRuntime,
  ContainerRole,
  ContainerState,
  OneShotResult,
  OneShotSpec,
} from '../../../src/domain/bottle/bottle-runtime.js';
import { NO_BUDGET } from '../../../src/domain/run/model-use.js';
import type { TurnRecord } from '../../../src/domain/run/run-files.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type {
  GitPublishRequest,
  GitPublishVerdict,
  GitRepository,
} from '../../../src/domain/workspace/git-repository.js';
import { PREPARED, turnResult } from '../machine/world.js';
import { sampleBottle } from '../manifests/samples.js';
import { FakeForge } from '../webhook/fake-forge.js';
import { useNewPaths } from '../webhook/temp-dir.js';
import { extractionReport } from '../publish/extraction-report.js';
import { idleDiskGuard, sampleHostSettings } from './sample-host.js';

export const SLUG = 'coder-alice-demo-12-abc12';
export const BRANCH = 'bot-bottle/12-abc12';
export const HEAD = 'a'.repeat(40);
export const BASE = 'b'.repeat(40);
export const SECRET = 'a-secret-of-the-operator';

/** As the extractor prints it. */
export interface LeftWork {
  readonly stuck?: string;
  /** Paths that are not committed. */
  readonly uncommitted?: readonly string[];
  readonly bundle?: string;
}

export function report({ stuck = '-', uncommitted = [], bundle }: LeftWork = {}): OneShotResult {
  const status = uncommitted.map((path) => ` M ${path}\0`).join('');
  return { exitCode: 0, stdout: extractionReport({ head: HEAD, stuck, status, bundle }), stderr: '' };
}

/** Of a throw-away container that ended in another way. */
export function failed(exitCode: number, stderr = ''): OneShotResult {
  return { exitCode, stdout: new Uint8Array(), stderr };
}

/** Opened anew for each test of the suite. */
export function useHostWorld(): HostWorld {
  const newPath = useNewPaths();
  const world = new HostWorld();
  beforeEach(() => world.open(newPath()));
  return world;
}

export class HostWorld {
  readonly forge = new FakeForge();
  /** What was asked of engine and git, in order; throw-away containers by their names. */
  readonly asked: string[] = [];
  readonly warned: string[] = [];
  /** Of a throw-away container. */
  answers: (spec: OneShotSpec) => OneShotResult = () => report({ bundle: 'commits' });
  /** Of git's checks, which take a while. */
  verdict: () => GitPublishVerdict = () => ({
    kind: 'pushed',
    head: HEAD,
    secretScan: { scanner: 'off', outcome: 'clean', findings: 0, rules: [] },
  });
  refresh: GitRepository['refresh'] = () =>
    Promise.resolve({ startSha: BASE, baseBranch: 'main', baseSha: BASE, branchSha: null });
  /** What the forge has, before an `open_pr` is published. */
  branches: GitRepository['branches'] = () =>
    Promise.resolve({ defaultBranch: 'main', branches: new Map([['main', BASE]]) });
  /** In the mirror. */
  isAncestor: GitRepository['isAncestor'] = () => Promise.resolve(false);
  /** What was to be published. */
  readonly published: GitPublishRequest[] = [];
  /** Blobs of `STUCK.md` that these commits have, by commit. */
  readonly stuckBlobs = new Map<string, string>();
  /** The run's containers; those that are not named are not there. */
  containers: Partial<Record<ContainerRole, Partial<ContainerState>>> = {};
  build: BottleRuntime['buildImage'] = () => Promise.reject(new Error('nothing is built here'));
  /** A secret of the operator. */
  secret: SecretFor = () => Promise.resolve(SECRET);
  /** The run is still here. */
  isCurrent: () => boolean = () => true;

  home!: string;
  ports!: HostPorts;

  /** As a new one. @param home of its own, which is not there yet */
  async open(home: string): Promise<this> {
    Object.assign(this, new HostWorld());
    mkdirSync(home);
    this.home = home;
    this.ports = portsOf(this, await UnderWayFiles.open(home));
    this.forge.putIssue(12);
    await this.ports.files.prepare(SLUG);
    return this;
  }

  /** The turn has begun. */
  async begin(record: Partial<TurnRecord> = {}): Promise<void> {
    const refs = { startSha: BASE, baseBranch: 'main', baseSha: BASE, branchSha: null };
    await this.ports.files.writeTurn(SLUG, { ...blankTurnRecord(1), refs, baseSha: BASE, ...record });
  }

  /** A turn of a bottle that asks for this. */
  async turning(
    changes: Partial<RunTurnInput> = {},
    bottle: Partial<TurnBottle> = {},
  ): Promise<RunTurnInput> {
    return {
      ...(await this.#run(bottle)),
      ...{ sessionId: null, prNumber: null, head: null, goesOnWith: null, stop: null },
      ...{ turnTimeoutMs: 60_000, doneGraceMs: 1_000, budget: NO_BUDGET, begun: false },
      ...changes,
    };
  }

  /** Its end, with the agent's word that it is done. */
  async settling(changes: Partial<SettleTurnInput> = {}, summary = ''): Promise<SettleTurnInput> {
    const { blobs } = this.ports;
    return {
      ...(await this.#run()),
      triggerActor: 'alice',
      latestPr: null,
      result: turnResult({
        baseSha: BASE,
        done: { id: 'done1', status: 'success', summaryRef: summary === '' ? '' : await blobs.put(summary) },
      }),
      stuckHash: null,
      publish: true,
      ...changes,
    };
  }

  async #run(bottle: Partial<TurnBottle> = {}): Promise<RunRef & Pick<RunTurnInput, 'prepared'>> {
    const bottleRef = await this.ports.blobs.put(JSON.stringify({ ...sampleBottle(), ...bottle }));
    return {
      workflowId: 'gitea:alice/demo#12',
      repoId: 7,
      subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
      slug: SLUG,
      turn: 1,
      prepared: { ...PREPARED, branch: BRANCH, bottleRef },
    };
  }
}

function portsOf(world: HostWorld, underWay: UnderWayFiles): HostPorts {
  const { home } = world;
  return {
    host: 'test',
    runtime: engineOf(world),
    files: new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve(SECRET),
      secret: (...asked) => world.secret(...asked),
      canChown: false,
    }),
    queue: new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? -1 }),
    blobs: new LocalBlobStore(home),
    underWay,
    git: {
      refresh: (...asked: Parameters<GitRepository['refresh']>) => world.refresh(...asked),
      isAncestor: (...asked: Parameters<GitRepository['isAncestor']>) => world.isAncestor(...asked),
      branches: (...asked: Parameters<GitRepository['branches']>) => world.branches(...asked),
      publish: async (request: GitPublishRequest) => {
        world.published.push(request);
        const verdict = world.verdict();
        const objection = verdict.kind === 'pushed' ? await request.objection?.() : undefined;
        if (objection !== undefined) return { ...verdict, kind: 'refused', reason: objection };
        world.asked.push('push');
        return verdict;
      },
      blobsOf: (_repo, path, commits) => {
        assert.equal(path, 'STUCK.md');
        return Promise.resolve(commits.flatMap((commit) => world.stuckBlobs.get(commit) ?? []));
      },
    } satisfies Partial<GitRepository> as unknown as GitRepository,
    secrets: new SecretGuard(null, () => [{ name: 'forge-token', value: SECRET }]),
    hasSecret: () => false,
    isPublicSuffix: () => false,
    forgeFor: () => world.forge.bind(),
    forks: null,
    channel: {
      isCurrent: () => Promise.resolve(world.isCurrent()),
    } as unknown as HostPorts['channel'],
    provider: (name) => ({ ...agentProvider(name), sessionPaths: [] }),
    slots: new TurnSlots(1, () => Promise.resolve([])),
    placing: new OneByOne(),
    disk: idleDiskGuard(),
    clock: { now: Date.now },
    log: { info: () => undefined, warn: (_fields, message) => void world.warned.push(message) },
    settings: sampleHostSettings(),
  };
}

function engineOf(world: HostWorld): BottleRuntime {
  const asked = <T>(what: string, answer: T): Promise<T> => {
    world.asked.push(what);
    return Promise.resolve(answer);
  };
  return {
    inspect: (_slug: string, role: ContainerRole) => Promise.resolve(world.containers[role]),
    buildImage: (...spec: Parameters<BottleRuntime['buildImage']>) => world.build(...spec),
    list: () => Promise.resolve([]),
    stop: (_slug: string, role: string) => asked(`stop ${role}`, undefined),
    remove: (_slug: string, role: string) => asked(`remove ${role}`, undefined),
    removeVolumes: () => asked('remove volumes', undefined),
    unpinImage: () => asked('unpin image', undefined),
    runOnce: async (spec: OneShotSpec) => {
      await asked(spec.name, undefined);
      return world.answers(spec);
    },
  } as unknown as BottleRuntime;
}
