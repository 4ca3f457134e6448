/** After an upgrade: this program's workflows become the current version, and the runs of earlier ones go over to it. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { WorkflowBundles } from '../../adapters/files/workflow-bundles.js';
import { countOpen, makeCurrent, openRuns, restingRuns } from '../../adapters/temporal/deployment.js';
import type { RunningWorkers } from '../../adapters/temporal/workers.js';
import type { RunPolicy } from '../../domain/run/run-policy.js';
import { withCallsUntil } from '../../adapters/temporal/with-calls-until.js';
import type { Logger } from '../../config/log.js';
import type { SignalName } from '../../workflows/messages.js';
import { persistently, waited } from './persistently.js';

/** A version is known to the server a moment after its worker began to poll. */
const RETRY_MS = 500;
/** Each so many failures are worth a line. */
const TRIES_A_LINE = 20;
/** Signals on their way at once. */
const AT_ONCE = 8;
/** Between two looks at the runs of earlier versions; the last one goes on. */
const PAUSES_MS = [2_000, 10_000, 60_000] as const;

export interface HandOver {
  readonly client: Client;
  readonly buildId: string;
  readonly bundles: WorkflowBundles;
  readonly workers: Pick<RunningWorkers, 'earlier' | 'lacking' | 'endVersion'>;
  readonly policy: RunPolicy;
  readonly log: Logger;
}

/**
 * Resolves when no run is of an earlier version any more, or when it was stopped. A run between turns goes over at once,
 * as it is told the settings; one with a turn under way when that is settled.
 */
export async function handOver(parts: HandOver, stopped: AbortSignal): Promise<void> {
  const { client, buildId, bundles, workers, policy, log } = parts;
  for (const lacking of workers.lacking)
    log.error(
      { version: lacking },
      'runs are of a version whose workflows are not in this home: they stand still',
    );
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
  const needed = [buildId, ...workers.earlier, ...workers.lacking];
  for (const kept of await bundles.list()) if (!needed.includes(kept)) await bundles.remove(kept);
  for (let round = 0; workers.earlier.length > 0 && !stopped.aborted; round += 1) {
    for (const earlier of workers.earlier)
      await insist(async () => {
        if ((await countOpen(client, earlier)) > 0)
          return tell(client, policy, await restingRuns(client, earlier));
        workers.endVersion(earlier);
        await bundles.remove(earlier);
        log.info({ version: earlier }, 'every run of this version has gone over');
      }, 'moving runs of an earlier version');
    const [, , longest] = PAUSES_MS;
    if (workers.earlier.length > 0) await waited(PAUSES_MS[round] ?? longest, stopped);
  }
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
