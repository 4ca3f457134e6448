/** Composition root of the worker: where adapters meet activities, on the one process that has the Docker socket. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createHomeActivities } from './activities/home-activities.js';
import { createHostActivities } from './activities/host-activities.js';
import { createReconcileActivities } from './activities/reconcile.js';
import type { HostPorts, HostSettings } from './activities/host-ports.js';
import { DiskGuard, type DiskLimits } from './activities/turn/disk-guard.js';
import { measureUsage } from './activities/turn/measure-usage.js';
import { requireRuntime } from './activities/turn/require-runtime.js';
import type { SweepActivities } from './activities/interface.js';
import { Attachments } from './activities/turn/attachments.js';
import { TurnSlots } from './activities/turn/turn-slots.js';
import { agentProvider } from './adapters/agents/registry.js';
import { DockerBottleRuntime } from './adapters/docker/docker-runtime.js';
import { LocalBlobStore } from './adapters/files/blob-store.js';
import { freeSpace } from './adapters/files/free-space.js';
import { hostId } from './adapters/files/host-id.js';
import { lockHome } from './adapters/files/lock-file.js';
import { LocalQueueDirectory } from './adapters/files/queue-directory.js';
import { LocalRunFiles } from './adapters/files/run-files.js';
import { SystemGitRepository } from './adapters/git/system-git-repository.js';
import { isLoopback } from './adapters/loopback/is-loopback.js';
import { serveLoopback } from './adapters/loopback/serve-loopback.js';
import { openDatabase } from './adapters/sqlite/open-database.js';
import { lazyClient } from './adapters/temporal/connect.js';
import { installRuntimeLog } from './adapters/temporal/runtime-log.js';
import { temporalRunChannel } from './adapters/temporal/run-channel.js';
import { createWorkers, type RunningWorkers } from './adapters/temporal/workers.js';
import { agentsOfConfig } from './agents-of-config.js';
import { ownSecretFiles, publishTokenFile, type Config } from './config.js';
import { readBoundSecret } from './config/secret-binding.js';
import { readSecret } from './config/secrets.js';
import { forgeOfConfig, type ConfiguredForge } from './forge-of-config.js';
import { createLogger, type Logger } from './log.js';
import { keepReconcileSchedule, reconcilePorts } from './reconciler.js';
import { secretGuardOfConfig } from './secret-guard-of-config.js';
import { assertBotRights } from './start-up-rights.js';
import { keepSweepSchedule, sweepActivities } from './sweeper.js';
import { targetOf } from './temporal-client.js';

const MIB = 1024 * 1024;
const MAX_PUBLISH_BYTES = 256 * MIB;
const MAX_PUBLISH_FILES = 5_000;
const MAX_PUBLISH_COMMITS = 1_000;
/** GitHub takes no larger file; other forges have no limit, or one that says so at the push. */
const MAX_PUBLISH_FILE_BYTES = 100 * MIB;
/** Security rules, "Transcript snapshot". */
const MAX_TRANSCRIPT_BYTES = 64 * MIB;

export interface RunningWorker {
  /** Detaches turns, lets short work end. */
  stop(): void;
  /** Resolves when everything has stopped; rejects with what broke. */
  stopped(): Promise<void>;
}

/** Puts something between the host's activities and its ports: how tests make faults that no real part makes on demand. */
export type Decorate = (ports: HostPorts) => HostPorts;

/** Starts the worker of this machine. Errors: `InvalidInputError` for configuration, `HomeLockedError`, Temporal's. */
export async function startWorker(
  config: Config,
  decorate: Decorate = (ports) => ports,
): Promise<RunningWorker> {
  const home = config.BOT_BOTTLE_HOME;
  const forge = forgeOfConfig(config);
  const sidecarToken = (): string => readSecret(config.FORGE_TOKEN_FILE, 'forge-token');
  const publishToken = (): string => readSecret(publishTokenFile(config), 'publish-token');
  const log = createLogger({
    level: config.LOG_LEVEL,
    name: 'worker',
    secrets: [sidecarToken(), publishToken()],
  });
  installRuntimeLog(log);
  const secrets = await secretGuardOfConfig(config);
  if (config.FORGE_SECRET_SCAN === 'off') log.warn({}, 'what agents publish is not scanned for secrets');
  await assertBotRights(config, log);
  const lock = await lockHome(home);
  try {
    const loopback = isLoopback(forge.api) ? await serveForge(home, forge.api) : undefined;
    const database = openDatabase(path.join(home, 'bot-bottle.db'));
    const target = targetOf(config);
    const client = lazyClient(target);
    const blobs = new LocalBlobStore(home);
    const clock = { now: Date.now };
    const caFile = config.FORGE_CA_FILE;
    // The publisher opens pull requests and asks for reviews; what only reads uses the lesser token.
    const host = await hostId(home);
    const runtime = new DockerBottleRuntime({ host });
    const slots = new TurnSlots(config.BOTTLE_SLOTS);
    const engine = await runtime.facts();
    await requireRuntime(runtime, config.BOTTLE_RUNTIME);
    await adoptRunning(runtime, slots, log);
    const files = new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve(sidecarToken()),
      secret: (name, authorities) =>
        Promise.resolve(readBoundSecret({ home, name, authorities, ownFiles: ownSecretFiles(config) })),
    });
    const written = engine.dataRoot === null ? [home] : [home, engine.dataRoot];
    const disk = {
      space: () => freeSpace(written),
      usage: (slug: string, signal: AbortSignal) =>
        measureUsage(
          runtime,
          { slug, image: config.BUNDLE_IMAGE, workspaceDir: files.paths(slug).workspace },
          signal,
        ),
    };
    const hostPorts = decorate({
      host,
      runtime,
      files,
      queue: new LocalQueueDirectory({ home }),
      blobs,
      git: new SystemGitRepository({
        mirrorsDir: path.join(home, 'mirrors'),
        cloneUrl: ({ owner, repo }) => `${forge.webUrl}/${owner}/${repo}.git`,
        readToken: sidecarToken,
        publishToken,
        secrets,
        ...(caFile === null ? {} : { caFile }),
      }),
      secrets,
      forgeFor: forge.forgeFor(publishToken),
      channel: temporalRunChannel(client),
      provider: agentProvider,
      slots,
      disk: new DiskGuard(disk, diskLimits(config), clock, log),
      clock,
      log,
      settings: hostSettings(config, forge, loopback?.dir ?? null),
    });
    const homePorts = {
      forgeFor: forge.forgeFor(sidecarToken),
      agents: agentsOfConfig(config),
      provider: agentProvider,
      blobs,
      database,
      clock,
      log,
      settings: { access: { org: config.FORGE_ORG, trigger: config.FORGE_TRIGGER, wake: config.FORGE_WAKE } },
    };
    const attachments = new Attachments();
    const sweeps = sweepActivities(config, { client, database, ports: hostPorts, attachments });
    const reconciler = reconcilePorts(config, { database, clock, log });
    log.info(
      { org: config.FORGE_ORG, host: hostPorts.host, slots: config.BOTTLE_SLOTS, home },
      'worker starting',
    );
    const workers = await createWorkers({
      target,
      host: hostPorts.host,
      slots: config.BOTTLE_SLOTS,
      activities: byQueue(
        { ...createHomeActivities(homePorts), ...createReconcileActivities(reconciler), ...sweeps.home },
        { ...createHostActivities(hostPorts, attachments), ...sweeps.host },
      ),
    });
    const ending = new AbortController();
    const schedules = [
      keepReconcileSchedule(client, config, log, ending.signal),
      keepSweepSchedule(client, hostPorts.host, config, log, ending.signal),
    ];
    lock.lost.addEventListener('abort', () => {
      log.error({ home, err: lock.lost.reason as unknown }, 'another worker has taken this home; stopping');
      workers.stop();
    });
    return running(workers, async () => {
      ending.abort();
      await Promise.all(schedules);
      reconciler.close();
      await client.connection.close();
      database.close();
      await loopback?.server.close();
      await lock.release();
      log.info({}, 'worker stopped');
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function byQueue(
  home: object,
  { claimHost, runTurn, ...host }: ReturnType<typeof createHostActivities> & SweepActivities,
): Parameters<typeof createWorkers>[0]['activities'] {
  return { home, claim: { claimHost }, turns: { runTurn }, host };
}

function hostSettings(
  config: Config,
  { kind, api }: ConfiguredForge,
  loopbackDir: string | null,
): HostSettings {
  return {
    bundleImage: config.BUNDLE_IMAGE,
    bundleNetwork: config.BUNDLE_NETWORK,
    forgeKind: kind,
    forgeApi: api,
    loopbackDir,
    caFile: config.FORGE_CA_FILE,
    egressUploadBytes: config.BUNDLE_EGRESS_UPLOAD_BYTES,
    containerRuntime: config.BOTTLE_RUNTIME,
    registries: {
      npm: config.REGISTRY_NPM,
      pypi: config.REGISTRY_PYPI,
      go: config.REGISTRY_GO,
      cargo: config.REGISTRY_CARGO,
      maven: config.REGISTRY_MAVEN,
    },
    bundleCallsPerMinute: config.BUNDLE_CALLS_PER_MINUTE,
    bundleWritesPerMinute: config.BUNDLE_WRITES_PER_MINUTE,
    maxPublishBytes: MAX_PUBLISH_BYTES,
    maxPublishFiles: MAX_PUBLISH_FILES,
    maxPublishCommits: MAX_PUBLISH_COMMITS,
    maxPublishFileBytes: MAX_PUBLISH_FILE_BYTES,
    maxTranscriptBytes: MAX_TRANSCRIPT_BYTES,
    requestReview: config.FORGE_PR_REVIEWER === 'trigger',
  };
}

function diskLimits(config: Config): DiskLimits {
  const { BOTTLE_DISK: bytes, BOTTLE_INODES: inodes, BOTTLE_DISK_FREE: freeBytes } = config;
  return { quota: { bytes, inodes }, freeBytes };
}

function running(workers: RunningWorkers, close: () => Promise<void>): RunningWorker {
  const stopped = workers.stopped().finally(close);
  // Whoever waits sees the error; nobody may be waiting yet.
  stopped.catch(() => undefined);
  return {
    stop: () => {
      workers.stop();
    },
    stopped: () => stopped,
  };
}

/** Agents that outlived the last worker hold their slots before anything new is polled for. */
async function adoptRunning(runtime: DockerBottleRuntime, slots: TurnSlots, log: Logger): Promise<void> {
  for (const object of await runtime.list()) {
    if (object.type !== 'container' || object.role !== 'agent' || !object.running) continue;
    log.info({ slug: object.slug }, 'a turn is still running; adopting it');
    slots.adopt(object.slug);
  }
}

async function serveForge(
  home: string,
  api: string,
): Promise<{ dir: string; server: Awaited<ReturnType<typeof serveLoopback>> }> {
  const url = new URL(api);
  const dir = path.join(home, 'loopback');
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return { dir, server: await serveLoopback({ socketDir: dir, target: { host: url.hostname, port } }) };
}
