/** Composition root of the worker: where adapters meet activities, on the one process that has the Docker socket. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createHomeActivities } from '../../activities/home-activities.js';
import { createHostActivities } from '../../activities/host-activities.js';
import type { HostPorts } from '../../activities/ports/host-ports.js';
import type { SweepActivities } from '../../activities/ports/interface.js';
import { createReconcileActivities } from '../../activities/reconcile/reconcile-activity.js';
import { createSyncRowActivities } from '../../activities/sync/begin-sync.js';
import { createSyncActivities, type SyncActivities } from '../../activities/sync/sync-activities.js';
import { Attachments } from '../../activities/turn/attachments.js';
import { agentProvider } from '../../adapters/agents/registry.js';
import { lockHome } from '../../adapters/files/lock-file.js';
import { sealUnsealed } from '../../activities/rows/seal-run.js';
import { currentKeyId, homeSigner } from '../../adapters/dsse/signing-keys.js';
import { auditLog } from '../../adapters/files/supervise/audit-log.js';
import { proposalFiles } from '../../adapters/files/supervise/proposal-files.js';
import { UnderWayFiles } from '../../adapters/files/under-way.js';
import { isLoopback } from '../../domain/base/loopback.js';
import { serveLoopback } from '../../adapters/loopback/serve-loopback.js';
import { openDatabase } from '../../adapters/sqlite/open-database.js';
import { lazyClient } from '../../adapters/temporal/connect.js';
import { installRuntime } from '../../adapters/temporal/runtime.js';
import type { RunningWorkers, WorkerActivities, WorkersOptions } from '../../adapters/temporal/workers.js';
import { workflowCode } from '../../adapters/temporal/workflow-source.js';
import { agentsOfConfig } from '../agents-of-config.js';
import type { Config } from '../../config/load-config.js';
import { keepCheckins } from './keep-checkins.js';
import { keepNotices } from './keep-notices.js';
import { needsWorld } from '../needs-world.js';
import { notifyHooks } from '../notify-hooks.js';
import { hostPortsOfConfig } from './host-ports-of-config.js';
import { handOver } from './hand-over.js';
import { versionedWorkers } from './versioned-workers.js';
import { dayBudgetOf, policyOf } from '../run-policy.js';
import { keepReconcileSchedule, reconcilePorts } from './reconciler.js';
import { renewSyncs } from './renew-syncs.js';
import { syncPorts } from './sync-ports-of-config.js';
import { keepSweepSchedule, sweepActivities } from './sweeper.js';
import { targetOf } from '../temporal-client.js';
import { tracingOfEnvironment, type TracingOfEnvironment } from '../tracing.js';
import type { WorkerNeeds } from './worker-needs.js';
import { sidecarToken } from '../secrets-of-config.js';

export interface RunningWorker {
  /** Detaches turns, lets short work end. */
  stop(): void;
  /** Resolves when everything has stopped; rejects with what broke. */
  stopped(): Promise<void>;
}

/** Puts something between the host's activities and its ports: how tests make faults that no real part makes on demand. */
export type Decorate = (ports: HostPorts) => HostPorts;

/** Starts the worker of this machine. Errors: `BotBottleError` while another worker has the home, Temporal's. */
export async function startWorker(
  config: Config,
  needs: WorkerNeeds,
  decorate: Decorate = (ports) => ports,
): Promise<RunningWorker> {
  const home = config.BOT_BOTTLE_HOME;
  const { forge, log } = needs;
  installRuntime(log, config.WORKER_METRICS_LISTEN);
  if (config.FORGE_SECRET_SCAN === 'off') log.warn({}, 'what agents publish is not scanned for secrets');
  const lock = await lockHome(home);
  try {
    const loopback = isLoopback(forge.api) ? await serveForge(home, forge.api) : undefined;
    const database = await openDatabase(path.join(home, 'bot-bottle.db'));
    const signer = homeSigner(home);
    // A key that cannot be used is said now, not when the first run freezes.
    currentKeyId(home);
    await sealUnsealed(database, signer, Date.now());
    const target = targetOf(config);
    const tracing = await tracingOfEnvironment('bot-bottle-worker', log);
    const client = lazyClient(target, { interceptors: tracing?.client });
    const underWay = await UnderWayFiles.open(home);
    const parts = { ...needs, client, underWay, loopbackDir: loopback?.dir ?? null, tracing: tracing?.spans };
    const { ports, extras } = await hostPortsOfConfig(config, parts);
    const hostPorts = decorate(ports);
    const homePorts = {
      forgeFor: forge.forgeFor(() => sidecarToken(config)),
      agents: agentsOfConfig(config),
      provider: agentProvider,
      blobs: hostPorts.blobs,
      database,
      proposalFiles: proposalFiles(home),
      auditLog: auditLog(home),
      signer,
      secret: needsWorld(config).secret,
      isPublicSuffix: hostPorts.isPublicSuffix,
      clock: hostPorts.clock,
      log,
      // The home machine is a host, and the only one that this program makes.
      soleHost: hostPorts.host,
      settings: {
        access: { org: config.FORGE_ORG, trigger: config.FORGE_TRIGGER, wake: config.FORGE_WAKE },
        reacts: config.FORGE_ACK === 'reactions',
        publish: config.FORGE_PUBLISH,
        dayBudget: dayBudgetOf(config),
      },
    };
    const attachments = new Attachments();
    const sweeps = sweepActivities(config, { client, home: homePorts, ports: hostPorts, attachments });
    const syncs = createSyncActivities(syncPorts(config, hostPorts, extras, homePorts.agents), attachments);
    const reconciler = reconcilePorts(config, { database, clock: hostPorts.clock, log });
    const { host } = hostPorts;
    // What stands above takes seconds, and nobody listened yet.
    lock.lost.throwIfAborted();
    log.info({ org: config.FORGE_ORG, host, slots: config.BOTTLE_SLOTS, home }, 'worker starting');
    const { workers, ...version } = await versionedWorkers(
      home,
      await workflowCode({ encrypts: (target.codecKeys ?? []).length > 0, traces: tracing !== undefined }),
      {
        target,
        host,
        tracing: await forWorkers(tracing),
        slots: config.BOTTLE_SLOTS,
        activities: byQueue(
          {
            ...createHomeActivities(homePorts, underWay),
            ...createReconcileActivities(reconciler),
            ...createSyncRowActivities(homePorts),
            ...sweeps.home,
          },
          { ...createHostActivities(hostPorts, attachments), ...syncs, ...sweeps.host },
        ),
      },
    );
    const ending = new AbortController();
    const kept = [
      handOver({ ...version, client, workers, policy: policyOf(config), log }, ending.signal),
      keepReconcileSchedule(client, config, log, ending.signal),
      keepSweepSchedule(client, host, config, log, ending.signal),
      renewSyncs(client, log, ending.signal),
      keepCheckins(client, database, log, ending.signal),
      ...notifyHooks(config).map((hook) =>
        keepNotices({ hook, database, blobs: hostPorts.blobs, now: Date.now, log }, ending.signal),
      ),
    ];
    const stop = (): void => {
      workers.stop();
      // Also those that the SDK would give their time to end, or has cancelled before.
      attachments.detachAll();
    };
    lock.lost.addEventListener('abort', () => {
      log.error({ home, err: lock.lost.reason as unknown }, 'another worker has taken this home; stopping');
      stop();
    });
    const close = async (): Promise<void> => {
      ending.abort();
      await Promise.all(kept);
      reconciler.close();
      await client.connection.close();
      await underWay.close();
      await database.close();
      await loopback?.server.close();
      await tracing?.spans.stop();
      await lock.release();
      log.info({}, 'worker stopped');
    };
    const stopped = untilStopped(workers, close);
    // Whoever waits sees the error; nobody may be waiting yet.
    stopped.catch(() => undefined);
    return { stop, stopped: () => stopped };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function byQueue(
  home: object,
  {
    claimHost,
    launchBottle,
    rehydrateBottle,
    runSync,
    publishHere,
    ...host
  }: ReturnType<typeof createHostActivities> & SyncActivities & SweepActivities,
): WorkerActivities {
  return {
    home: { ...home, publishHere },
    claim: { claimHost },
    turns: { launchBottle, rehydrateBottle, runSync },
    host,
  };
}

/** The webhook's process, which traces too, has none of it. */
async function forWorkers(tracing: TracingOfEnvironment | undefined): Promise<WorkersOptions['tracing']> {
  if (tracing === undefined) return undefined;
  return (await import('../../adapters/otlp/worker-tracing.js')).workerTracing(tracing.spans);
}

async function untilStopped(workers: RunningWorkers, close: () => Promise<void>): Promise<void> {
  try {
    await workers.stopped();
  } finally {
    await close();
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
