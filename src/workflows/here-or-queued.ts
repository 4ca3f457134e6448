/** Work that is first tried beside the workflow, and then by the queue. */
import { isCancellation } from '@temporalio/workflow';
import { isFinal } from './activity-failures.js';

/**
 * Tries once where the workflow's task runs, which leaves one event. What takes long there, fails, or is not to be done
 * there (`null`) is handed to the queue, where it waits for a forge that is away at no cost. Errors: those of the
 * activities.
 */
export async function hereOrQueued<T>(here: () => Promise<T | null>, queued: () => Promise<T>): Promise<T> {
  try {
    const done = await here();
    if (done !== null) return done;
  } catch (error) {
    if (isCancellation(error) || isFinal(error)) throw error;
  }
  return queued();
}
