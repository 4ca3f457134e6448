/** Composition root of `gc`: what it measures and removes, beside a worker that may run. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import Docker from 'dockerode';
import { expectedRuns } from '../../activities/publish/review-rows.js';
import { ALL_FOUND_BEFORE, decideForHost } from '../../activities/sweep/decide-for-host.js';
import { claimant } from '../../activities/sweep/look-up-runs.js';
import { dockerBottleRuntime } from '../../adapters/docker/docker-runtime.js';
import { builtImages, removeBuiltImage } from '../../adapters/docker/image/images.js';
import { hostId } from '../../adapters/files/host-id.js';
import { forgetKeptRun, keptRuns, type KeptRun } from '../../adapters/files/run/kept-runs.js';
import { LocalRunFiles } from '../../adapters/files/run/run-files.js';
import { removeBlob, storedBlobs } from '../../adapters/files/stored-blobs.js';
import { sumOfTrees } from '../../adapters/system/tree-bytes.js';
import { mirrorsOf, removeMirror, scratchBytes, storedMirrors } from '../../adapters/git/mirrors.js';
import { namedHashes } from '../../adapters/sqlite/named-hashes.js';
import { openDatabaseReadOnly } from '../../adapters/sqlite/open-database-read-only.js';
import { temporalRunStates } from '../../adapters/temporal/run-states.js';
import type { Config } from '../../config/load-config.js';
import type { HomeUsage, RunUsage } from '../../domain/upkeep/home-usage.js';
import type { GcRemoval, Janitor } from '../../domain/upkeep/gc.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import { parseParts, usageSpec } from '../../domain/bottle/disk-usage.js';
import { isLiving } from '../../domain/run/rows.js';
import type { Database } from '../../domain/run/stores.js';
import { temporalClient } from '../temporal-client.js';

const PING_MS = 3_000;
/** Containers that measure at the same time. */
const AT_ONCE = 2;
const DATABASES = ['bot-bottle.db', 'inbox.db', 'rejections.db', 'temporal.db'];

/** Connects on first use; the caller closes it. Errors: `RunFilesError` for a home that is not one. */
export async function janitor(config: Config, now: () => number = Date.now): Promise<Janitor> {
  const home = config.BOT_BOTTLE_HOME;
  const mirrorsDir = path.join(home, 'mirrors');
  const databaseFile = path.join(home, 'bot-bottle.db');
  const docker = new Docker();
  const host = await hostId(home);
  const runtime = dockerBottleRuntime({ docker, host });
  const database = openDatabaseReadOnly(databaseFile);
  const client = temporalClient(config);
  const runStates = temporalRunStates(client);
  const files = new LocalRunFiles({ home, forgeToken: noSecret, secret: noSecret });
  const keepMs = config.GC_KEEP;

  async function measure(): Promise<HomeUsage> {
    const [kept, objects, mirrors, images, blobs] = await Promise.all([
      keptRuns(home),
      runtime.list(),
      storedMirrors(mirrorsDir),
      builtImages(docker),
      storedBlobs(home),
    ]);
    const homes = new Set(objects.flatMap(({ role, slug }) => (role === 'home' ? [slug] : [])));
    const named = namedHashes(databaseFile);
    const inUse = mirrorsOf(mirrorsDir, await database.forgeState.living());
    return {
      runs: await mapLimited(kept, AT_ONCE, (run) => runUsage(run, homes.has(run.slug))),
      mirrors: mirrors.map((mirror) => ({ ...mirror, inUse: inUse.has(mirror.directory) })),
      images,
      blobs: blobs.map((blob) => ({ ...blob, referenced: named.has(blob.ref) })),
      databases: await sumOfTrees(
        DATABASES.flatMap((name) => ['', '-wal', '-shm'].map((end) => path.join(home, name + end))),
      ),
      logs: await sumOfTrees([path.join(home, 'temporal.log')]),
      scratch: await scratchBytes(mirrorsDir),
    };
  }

  async function runUsage(kept: KeptRun, hasHome: boolean): Promise<RunUsage> {
    const { slug } = kept;
    const { workspace } = files.paths(slug);
    const sizes = existsSync(workspace)
      ? await runtime
          .runOnce(
            usageSpec({
              // Two that measure at once must not end each other's.
              name: `measure-${randomBytes(4).toString('hex')}`,
              slug,
              image: config.BUNDLE_IMAGE,
              workspaceDir: workspace,
              hasHome,
            }),
          )
          .then(({ stdout }) => parseParts(stdout))
          .catch(() => ({ workspace: undefined, home: undefined }))
      : { workspace: 0 };
    return {
      ...kept,
      ...(await endOf(database, slug)),
      workspace: sizes.workspace ?? null,
      home: sizes.home ?? (hasHome ? null : 0),
    };
  }

  async function remove(removal: GcRemoval): Promise<string | null> {
    const before = now() - keepMs;
    switch (removal.kind) {
      case 'run': {
        const why = await whyKept(removal.slug);
        if (why !== null) return why;
        return (await forgetKeptRun(home, removal.slug)) ? null : 'its end has not got through';
      }
      case 'mirror': {
        const inUse = mirrorsOf(mirrorsDir, await database.forgeState.living()).has(removal.directory);
        return !inUse && (await removeMirror(mirrorsDir, removal.directory, before))
          ? null
          : 'it is in use again';
      }
      case 'image':
        return (await removeBuiltImage(docker, removal.reference)) ? null : 'a container is made from it';
      case 'blob':
        return (await removeBlob(home, removal.ref, before)) ? null : 'it is in use again';
    }
  }

  /** The database said that it is over; its workflow must say so too. */
  async function whyKept(slug: string): Promise<string | null> {
    if ((await endOf(database, slug)).state !== 'ended') return 'it lives';
    const run = (await database.runs.run(slug)) ?? (await database.forgeState.ofRun(slug));
    const owner = run?.workflowId ?? (await claimant(runStates, slug));
    const state = typeof owner === 'string' ? await runStates.of(owner) : owner;
    if (state.kind === 'unknown') return `its workflow cannot be asked: ${state.why}`;
    return state.kind === 'open' && state.slug === slug ? 'its workflow is open' : null;
  }

  return {
    keepMs,
    now,
    measure,
    remove,
    orphans: async () => {
      const expected = expectedRuns(await database.forgeState.living(), host);
      const ports = { host, runtime, files, runStates, clock: { now }, archiveAfterMs: null };
      return (await decideForHost(ports, expected, ALL_FOUND_BEFORE)).actions;
    },
    temporalAnswers: async () => {
      try {
        await client.withDeadline(Date.now() + PING_MS, () => client.workflowService.getSystemInfo({}));
        return true;
      } catch {
        return false;
      }
    },
    close: async () => {
      await database.close();
      await client.connection.close();
    },
  };
}

function noSecret(): Promise<never> {
  return Promise.reject(new Error('gc places no secret'));
}

/**
 * By the rows. An issue's row is its latest life's, so a run without it was followed by another; one that has it alone was
 * pruned, as was one that has neither and a seal that says so.
 */
async function endOf(database: Database, slug: string): Promise<Pick<RunUsage, 'state' | 'endedAt'>> {
  const row = await database.forgeState.ofRun(slug);
  if (row !== undefined && isLiving(row)) return { state: 'alive', endedAt: null };
  const run = await database.runs.run(slug);
  if (run === undefined) {
    const seal = await database.provenance.lastSeal(slug);
    const endedAt = row?.destroyedAt ?? (seal?.reason === 'pruned' ? seal.at : null);
    return { state: endedAt === null ? 'unknown' : 'ended', endedAt };
  }
  const turns = (await database.runs.turns(slug)).map(({ at }) => at);
  return { state: 'ended', endedAt: Math.max(row?.destroyedAt ?? 0, run.createdAt, ...turns) };
}
