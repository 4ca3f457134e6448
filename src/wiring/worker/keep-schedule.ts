/** Keeps a schedule at Temporal as the configuration wants it, for as long as the worker runs. */
import type { Client } from '@temporalio/client';
import { AT_ONCE, forgetPasses } from '../../adapters/temporal/forget-passes.js';
import type { ScheduleChange } from '../../adapters/temporal/pass-schedule.js';
import { withCallsUntil } from '../../adapters/temporal/with-calls-until.js';
import type { Logger } from '../../config/log.js';
import { persistently, waited } from './persistently.js';

const TIDY_MS = 3_600_000;
/** Temporal's list goes on naming for a moment what was deleted. */
const BETWEEN_MS = 1_000;

export interface KeptSchedule {
  /** For the log. */
  readonly name: string;
  readonly workflowType: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly set: () => Promise<ScheduleChange>;
}

/**
 * Sets the schedule up as soon as Temporal lets it, and from then on removes passes of long ago; resolves when it has
 * stopped. Temporal being away is only logged.
 */
export async function keepSchedule(
  client: Client,
  log: Logger,
  stopped: AbortSignal,
  { name, workflowType, fields, set }: KeptSchedule,
): Promise<void> {
  const change = await persistently(
    async () => {
      const done = await withCallsUntil(client, stopped, set);
      log.info({ schedule: done, ...fields }, `${name} schedule`);
    },
    (err) => {
      log.warn({ err }, `the schedule of the ${name} cannot be set yet; trying again`);
    },
    stopped,
  );
  while (change && (await waited(TIDY_MS, stopped))) {
    await forgetOldPasses(client, workflowType, stopped).catch((err: unknown) => {
      if (!stopped.aborted) log.warn({ err }, `old passes of the ${name} could not be removed`);
    });
  }
}

/** All that there are, as an hour may make more than one call removes. Errors: Temporal's. */
export async function forgetOldPasses(
  client: Client,
  workflowType: string,
  stopped: AbortSignal,
): Promise<void> {
  const forget = (): Promise<number> => forgetPasses(client, workflowType, Date.now());
  let count: number;
  do count = await withCallsUntil(client, stopped, forget);
  while (count >= AT_ONCE && (await waited(BETWEEN_MS, stopped)));
}
