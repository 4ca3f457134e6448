import type { Client } from '@temporalio/client';
import { createLogger, type Logger } from '../../../src/config/log.js';
import type { RunPolicy } from '../../../src/domain/run/run-policy.js';
import { handOver } from '../../../src/wiring/worker/hand-over.js';
import { versionedWorkers, type VersionedWorkers } from '../../../src/wiring/worker/versioned-workers.js';
import { untilCurrent } from './deployed-workers.js';
import type { ScriptedActivities } from './scripted-activities.js';
import { HOST } from './time-skipping.js';

/** Settings of a server that sees within seconds what it sees within minutes otherwise: that no run is of a version. */
export const SOON_DRAINED = [
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod="2s"',
  'matching.wv.VersionDrainageStatusRefreshInterval="2s"',
] as const;

/** What the product looks after once a minute. */
const PAUSES_MS = [500];

export interface Deployment extends VersionedWorkers {
  /** As a process that is stopped: turns are let go of, and go on. */
  stop(): Promise<void>;
}

interface Version {
  readonly client: Client;
  readonly address: string;
  readonly home: string;
  readonly code: string;
  readonly stateVersion: number;
  readonly slots: number;
  readonly activities: ScriptedActivities['activities'];
  /** What open runs are told as they are handed over; without it none is. */
  readonly policy?: RunPolicy;
  readonly log?: Logger;
}

/** Workers of a version of the workflows, as the product starts them. */
export async function deployVersion(version: Version): Promise<Deployment> {
  const { client, address, home, code, stateVersion, slots, policy } = version;
  const { claimHost, launchBottle, rehydrateBottle, ...others } = version.activities;
  const activities = {
    home: others,
    claim: { claimHost },
    turns: { launchBottle, rehydrateBottle },
    host: others,
  };
  const target = { connection: { address }, namespace: 'default' };
  const workers = await versionedWorkers(home, code, { target, host: HOST, slots, activities }, stateVersion);
  const stopped = new AbortController();
  const log = version.log ?? createLogger({ level: 'silent', name: 'worker', secrets: () => new Set() });
  if (policy === undefined) await untilCurrent(client, workers.buildId);
  const handingOver =
    policy === undefined
      ? undefined
      : handOver({ ...workers, client, policy, log, pausesMs: PAUSES_MS }, stopped.signal);
  let stopping: Promise<unknown> | undefined;
  return {
    ...workers,
    stop: async () => {
      stopping ??= (async () => {
        stopped.abort();
        workers.workers.stop();
        await Promise.all([workers.workers.stopped(), handingOver]);
      })();
      await stopping;
    },
  };
}
