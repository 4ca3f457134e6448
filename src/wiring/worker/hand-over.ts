/** After an upgrade: this program's workflows become the current version, and the runs of earlier ones go over to it. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { WorkflowBundles } from '../../adapters/files/workflow-bundles.js';
import {
  drainageOf,
  makeCurrent,
  openOf,
  openRuns,
  restingRuns,
} from '../../adapters/temporal/deployment.js';
import type { RunningWorkers } from '../../adapters/temporal/workers.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import { withCallsUntil } from '../../adapters/temporal/with-calls-until.js';
import type { Logger } from '../../config/log.js';
import type { SignalName } from '../../workflows/messages.js';
import { moveStranded } from './move-stranded.js';
import { persistently, waited } from './persistently.js';

/** A version is known to the server a moment after its worker began to poll. */
const RETRY_MS = 500;
/** Each so many failures are worth a line. */
const TRIES_A_LINE = 20;
/** Signals on their way at once. */
const AT_ONCE = 8;
/** Between two looks at the runs of earlier versions; the last one goes on. */
const PAUSES_MS: readonly number[] = [2_000, 10_000, 60_000];

export interface HandOver {
  readonly client: Client;
  readonly buildId: string;
  readonly bundles: WorkflowBundles;
  readonly workers: Pick<RunningWorkers, 'earlier' | 'stranded' | 'endVersion' | 'replayError'>;
  readonly policy: RunPolicy;
  readonly log: Logger;
  readonly pausesMs?: readonly number[];
}

/**
 * Resolves when no run is of an earlier version any more, or when it was stopped. A run between turns goes over at once,
 * as it is told the settings; one with a turn under way when that is settled. Runs of a version that no worker here is of
 * are moved where their history replays.
 */
export async function handOver(parts: HandOver, stopped: AbortSignal): Promise<void> {
  const { client, buildId, bundles, workers, policy, log, pausesMs = PAUSES_MS } = parts;
  const insist = (work: () => Promise<void>, what: string): Promise<boolean> => {
    let tries = 0;
    const onFailure = (err: unknown): void => {
      tries += 1;
      if (tries % TRIES_A_LINE === 0) log.warn({ err }, `${what} failed; trying again`);
    };
    return persistently(() => withCallsUntil(client, stopped, work), onFailure, stopped, RETRY_MS);
  };
  await insist(() => makeCurrent(client, buildId), 'making this version of the workflows the current one');
  const settings = JSON.stringify(policy);
  await insist(async () => {
    if ((await bundles.toldSettings()) === settings) return;
    await tell(client, policy, await openRuns(client));
    await bundles.keepToldSettings(settings);
  }, 'telling open runs the settings');
  const earlier = (): readonly string[] => [...workers.earlier, ...workers.stranded.keys()];
  const attempt = async (work: () => Promise<void>, what: string): Promise<void> => {
    try {
      await withCallsUntil(client, stopped, work);
    } catch (err) {
      if (!stopped.aborted) log.warn({ err }, `${what} failed; trying again later`);
    }
  };
  await attempt(async () => {
    for (const kept of await bundles.list())
      if (kept !== buildId && !earlier().includes(kept) && (await isOver(client, kept)))
        await bundles.remove(kept);
  }, 'removing workflows that no run is of');
  const looked = new Set<string>();
  for (let round = 0; earlier().length > 0 && !stopped.aborted; round += 1) {
    for (const version of earlier())
      await attempt(async () => {
        if (await isOver(client, version)) {
          workers.endVersion(version);
          await bundles.remove(version);
          log.info({ version }, 'every run of this version has gone over');
        } else if (workers.stranded.has(version)) {
          const wake = (id: string): Promise<void> => tell(client, policy, [id]);
          await moveStranded(parts, version, { wake, looked });
        } else if (isTelling(round)) {
          await tell(client, policy, await restingRuns(client, version));
        }
      }, 'moving runs of an earlier version');
    if (earlier().length > 0) await waited(pausesMs[round] ?? pausesMs.at(-1) ?? 0, stopped);
  }
}

/**
 * The first ones, and then ever fewer. A run may be told before all queues know the new version; one that stays for long was
 * pinned by somebody, and each time costs its history four events.
 */
const isTelling = (round: number): boolean => Number.isInteger(Math.log2(round + 1));

/** On the server's word, too: a list may lag, and a run that is not in it would lose its code. */
async function isOver(client: Client, version: string): Promise<boolean> {
  return (await drainageOf(client, version)) === 'drained' && (await openOf(client, version)).length === 0;
}

async function tell(client: Client, policy: RunPolicy, workflowIds: readonly string[]): Promise<void> {
  const name: SignalName = 'settings';
  for (let from = 0; from < workflowIds.length; from += AT_ONCE)
    await Promise.all(
      workflowIds.slice(from, from + AT_ONCE).map(async (id) => {
        try {
          await client.workflow.getHandle(id).signal(name, { policy });
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    );
}
