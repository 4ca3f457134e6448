import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { HostPorts } from '../../activities/ports/host-ports.js';
import type { SecretFor, SyncPorts } from '../../activities/sync/sync-ports.js';
import { DiskGuard, type DiskSource } from '../../activities/ports/disk-guard.js';
import { measureUsage } from '../../activities/turn/measure-usage.js';
import { TurnSlots } from '../../activities/ports/turn-slots.js';
import { agentProvider } from '../../adapters/agents/registry.js';
import { dockerBottleRuntime } from '../../adapters/docker/docker-runtime.js';
import { LocalBlobStore } from '../../adapters/files/blob-store.js';
import { hostId } from '../../adapters/files/host-id.js';
import { LocalQueueDirectory } from '../../adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../adapters/files/run/run-files.js';
import { SystemGitRepository } from '../../adapters/git/system-git-repository.js';
import { temporalRunChannel } from '../../adapters/temporal/run-channel.js';
import { isPublicSuffix } from '../../adapters/manifests/public-suffix.js';
import { ownSecretFiles, type Config } from '../../config/load-config.js';
import { readBoundSecret } from '../../config/secret-binding.js';
import { inspectSecret } from '../../config/secrets.js';
import { OneByOne } from '../../domain/base/one-by-one.js';
import type { Tracing } from '../../domain/base/tracing.js';
import type { ForkGit } from '../../domain/sync/ports.js';
import type { UnderWay } from '../../domain/run/under-way.js';
import { diskLimits, hostSettings } from './host-settings.js';
import type { WorkerNeeds } from './worker-needs.js';
import { publishToken, sidecarToken } from '../secrets-of-config.js';
import { spaceForRuns } from '../space-for-runs.js';

export interface HostParts extends WorkerNeeds {
  readonly client: Client;
  readonly underWay: UnderWay;
  /** Directory of the socket that stands for a forge on loopback. */
  readonly loopbackDir: string | null;
  readonly tracing: Tracing | undefined;
}

/** What only syncs use of the same parts. */
export interface HostExtras {
  readonly forkGit: ForkGit;
  readonly guardDirectory: SyncPorts['guardDirectory'];
  readonly secretFor: SecretFor;
}

/** What this host's activities stand on. */
export async function hostPortsOfConfig(
  config: Config,
  parts: HostParts,
): Promise<{ readonly ports: HostPorts; readonly extras: HostExtras }> {
  const { BOT_BOTTLE_HOME: home, FORGE_CA_FILE: caFile } = config;
  const { forge, client, secrets, engine, log, loopbackDir, underWay, tracing } = parts;
  const toPublish = (): string => publishToken(config);
  const host = await hostId(home);
  const runtime = dockerBottleRuntime({ host });
  const slots = new TurnSlots(config.BOTTLE_SLOTS, () => runtime.runningAgents());
  const secretFor: SecretFor = (name, authorities, vendors) =>
    Promise.resolve(readBoundSecret({ home, name, authorities, vendors, ownFiles: ownSecretFiles(config) }));
  const files = new LocalRunFiles({
    home,
    forgeToken: () => Promise.resolve(sidecarToken(config)),
    secret: secretFor,
  });
  /** By slug, of runs whose workspace is not in their own directory. */
  const elsewhere = new Map<string, string>();
  const clock = { now: Date.now, steady: () => performance.now() };
  const { dataRoot } = engine;
  const disk: DiskSource = {
    space: () => spaceForRuns(home, dataRoot),
    usage: (slug, signal) => {
      const workspaceDir = elsewhere.get(slug) ?? files.paths(slug).workspace;
      return measureUsage(runtime, { slug, image: config.BUNDLE_IMAGE, workspaceDir }, signal);
    },
  };
  const git = new SystemGitRepository({
    mirrorsDir: path.join(home, 'mirrors'),
    cloneUrl: ({ owner, repo, path: directory }) => directory ?? `${forge.webUrl}/${owner}/${repo}.git`,
    webUrl: forge.webUrl,
    readToken: () => sidecarToken(config),
    publishToken: toPublish,
    secrets,
    ...(caFile === null ? {} : { caFile }),
  });
  const ports: HostPorts = {
    host,
    runtime,
    files,
    queue: new LocalQueueDirectory({ home }),
    blobs: new LocalBlobStore(home),
    underWay,
    git,
    secrets,
    isPublicSuffix,
    hasSecret: (name) => inspectSecret(path.join(home, 'secrets', name)).kind !== 'missing',
    // It opens pull requests and asks for reviews; what only reads uses the lesser token.
    forgeFor: forge.forgeFor(toPublish),
    forks: forge.forks(toPublish),
    channel: temporalRunChannel(client),
    provider: agentProvider,
    slots,
    placing: new OneByOne(),
    // It measures how long things take: that goes on evenly, whatever becomes of the clock on the wall.
    disk: new DiskGuard(disk, diskLimits(config), { now: () => performance.now() }, log),
    clock,
    log,
    tracing,
    settings: hostSettings(config, forge, loopbackDir),
  };
  const guardDirectory = (slug: string, directory: string): void => void elsewhere.set(slug, directory);
  return { ports, extras: { forkGit: git.forForks(), guardDirectory, secretFor } };
}
