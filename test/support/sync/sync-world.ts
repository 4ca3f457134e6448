/** A host with a sync on it, without engine, remotes and Temporal: files and run directories are real. */
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { SyncPorts } from '../../../src/activities/sync/sync-ports.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { syncDirectories } from '../../../src/adapters/files/sync/sync-directories.js';
import type { AgentAnswer, AgentRequest } from '../../../src/domain/agent/agents.js';
import type { BottleManifest } from '../../../src/domain/manifest/manifests.js';
import {
  SYNC_TIMEOUT_MS,
  type SyncOrder,
  type SyncRefs,
  type SyncRun,
} from '../../../src/domain/sync/sync.js';
import type { GitPublishRequest } from '../../../src/domain/workspace/git-repository.js';
import { HostWorld, SECRET, SLUG } from '../host/host-world.js';
import { PREPARED } from '../machine/world.js';
import { sampleAgent, sampleBottle } from '../manifests/samples.js';
import { useNewPaths } from '../webhook/temp-dir.js';

export const FORK = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;
export const AT = Date.parse('2026-11-23T10:00:00.000Z');
export const AGENT_BRANCH = 'bot-bottle/sync-20261123_100000';
export const [FORK_TIP, UPSTREAM_TIP, EARLIER_TIP] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40)];
export const KEY = 'the-key-of-the-file';

export function syncOrder(changes: Partial<SyncOrder> = {}): SyncOrder {
  return {
    fork: FORK,
    upstream: 'https://upstream.example/app.git',
    manifest: 'merger',
    opencode: { envFile: '/opencode.env', model: null, variant: null, agent: null },
    timeoutMs: SYNC_TIMEOUT_MS,
    by: 'alice@desk',
    ...changes,
  };
}

/** Opened anew for each test of the suite. */
export function useSyncWorld(): SyncWorld {
  const newPath = useNewPaths();
  const world = new SyncWorld();
  beforeEach(() => world.open(newPath()));
  return world;
}

export class SyncWorld {
  refs: SyncRefs = {
    ...{ branch: 'main', sha: FORK_TIP, upstreamBranch: 'trunk', upstreamSha: UPSTREAM_TIP },
    ...{ behind: 5, earlier: null },
  };
  /** Commits of upstream's that an earlier sync's branch lacks. */
  behindEarlier = 2;
  /** Asked of git, in order. */
  readonly asked: string[] = [];
  readonly requests: GitPublishRequest[] = [];
  /** What was in the file of each of them. */
  readonly bundles: string[] = [];
  bundled: ReadonlyMap<string, string> | undefined;
  stuckBlobs: readonly string[] = [];
  found: AgentAnswer = {
    ...{ kind: 'found', agent: sampleAgent('merger'), provider: 'scripted' },
    ...{ bottleNames: ['default'], bottle: sampleBottle(), source: null },
  };
  readonly sought: AgentRequest[] = [];
  /** The one that `opencode.env` goes with. */
  bottle: BottleManifest | undefined = sampleBottle();
  env: Readonly<Record<'OPENCODE_MODEL' | 'OPENCODE_VARIANT' | 'OPENCODE_AGENT', string>> = {
    ...{ OPENCODE_MODEL: 'anthropic/claude-opus-5', OPENCODE_VARIANT: 'high', OPENCODE_AGENT: 'build' },
  };
  /** What the disk guard counts, `<slug> <directory>`. */
  readonly guarded: string[] = [];

  readonly host = new HostWorld();
  ports!: SyncPorts;
  /** Where run directories are. */
  runs!: string;

  /** As a new one. @param home of its own, which is not there yet */
  async open(home: string): Promise<void> {
    Object.assign(this, new SyncWorld());
    await this.host.open(home);
    this.runs = join(home, 'runs');
    this.ports = portsOf(this);
  }

  /** One that is prepared, with its directory. */
  async run(changes: Partial<SyncRun> = {}): Promise<SyncRun> {
    const bottleRef = await this.ports.host.blobs.put(JSON.stringify(sampleBottle()));
    return {
      ...{ workflowId: 'sync:gitea:alice/demo', slug: SLUG, order: syncOrder(), refs: this.refs },
      ...{ startSha: FORK_TIP, agentBranch: AGENT_BRANCH, knownStuck: [] },
      runDir: await this.ports.directories.make(FORK.repo, SLUG, AT),
      prepared: { ...PREPARED, branch: 'main', bottleRef },
      ...changes,
    };
  }

  metadata({ runDir }: Pick<SyncRun, 'runDir'>): Readonly<Record<string, unknown>> {
    return JSON.parse(readFileSync(join(runDir, 'metadata.json'), 'utf8')) as Record<string, unknown>;
  }
}

function portsOf(world: SyncWorld): SyncPorts {
  const { host, runs } = world;
  const { home } = host;
  const ask = <T>(what: string, answer: T): Promise<T> => {
    world.asked.push(what);
    return Promise.resolve(answer);
  };
  return {
    host: {
      ...host.ports,
      provider: agentProvider,
      git: {
        ...host.ports.git,
        blobsOf: (_fork, path, commits) => ask(`${path} ${commits.join(' ')}`, world.stuckBlobs),
        publish: (request) => {
          world.requests.push(request);
          world.bundles.push(readFileSync(request.bundleFile, 'utf8'));
          return Promise.resolve(host.verdict());
        },
      },
    },
    agents: {
      findOrRefuse: (request) => {
        world.sought.push(request);
        return Promise.resolve(world.found);
      },
    },
    manifests: { bottle: () => Promise.resolve(world.bottle) },
    git: {
      refreshFork: ({ repo }, upstream) => ask(`refresh ${repo} ${upstream}`, world.refs),
      countCommits: (_fork, from, to) => ask(`count ${from} ${to}`, world.behindEarlier),
      writeRefs: (_fork, refs) => {
        world.bundled = refs;
        return Promise.resolve();
      },
    },
    directories: syncDirectories(runs),
    readOpencodeEnv: () => ({ values: { ...world.env, OPENCODE_API_KEY: KEY }, ignored: [] }),
    secretFor: (name, authorities) => Promise.resolve(`${name} for ${authorities.join(',')}`),
    filesOf: (elsewhere, secret) =>
      new LocalRunFiles({
        ...{ home, elsewhere, secret, canChown: false },
        forgeToken: () => Promise.resolve(SECRET),
      }),
    guardDirectory: (slug, directory) => void world.guarded.push(`${slug} ${directory}`),
  };
}
