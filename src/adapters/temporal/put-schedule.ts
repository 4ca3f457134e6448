import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client';
import { InvalidInputError } from '../../domain/base/errors.js';

export type Put = 'created' | 'updated' | 'replaced';
export type Removed = 'removed' | 'absent';

/**
 * Makes a schedule as it is given here, or makes the one of its id so; one that an operator has paused stays paused. It is
 * written also when nothing differs: what it holds is encrypted with the first key of now after that.
 * Errors: Temporal's.
 */
export async function putSchedule(client: Client, options: ScheduleOptions): Promise<Put> {
  const { scheduleId, spec, policies = {}, action } = options;
  try {
    await client.schedule.create(options);
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const handle = client.schedule.getHandle(scheduleId);
  try {
    await handle.update(({ state }) => ({ spec, policies, action, state }));
    return 'updated';
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  // An update would keep the result of its last workflow, which the next one is given and nobody could decode either.
  const state = await stateOf(client, scheduleId);
  await handle.delete();
  await client.schedule.create({ ...options, state });
  return 'replaced';
}

/** Errors: Temporal's. */
export async function removeSchedule(client: Client, id: string): Promise<Removed> {
  try {
    await client.schedule.getHandle(id).delete();
    return 'removed';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'absent';
    throw error;
  }
}

/** The key is gone, or is another one by now. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof InvalidInputError;
}

/** Not encrypted, so it is asked for without decoding what else there is. */
async function stateOf(client: Client, scheduleId: string): Promise<{ paused: boolean; note?: string }> {
  const { namespace } = client.options;
  const { schedule } = await client.workflowService.describeSchedule({ namespace, scheduleId });
  const { paused, notes } = schedule?.state ?? {};
  return { paused: paused === true, ...(notes ? { note: notes } : {}) };
}
