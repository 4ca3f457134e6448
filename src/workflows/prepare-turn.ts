/** Preparing a turn: first beside the workflow, then by the queue. */
import { isCancellation } from '@temporalio/workflow';
import type { PrepareTurnInput, PrepareTurnOutcome } from '../activities/ports/inputs.js';
import { isFinal } from './activity-failures.js';
import { home, promptly } from './activities.js';

/**
 * Tries once where the workflow's task runs, which leaves one event. What takes long there, or fails, is handed to the
 * queue, where it waits for a forge that is away at no cost. Errors: those of the activity.
 */
export async function prepareTurn(input: PrepareTurnInput): Promise<PrepareTurnOutcome> {
  const options = { summary: `prepare turn ${String(input.turn)} (${input.cause.kind})` };
  try {
    return await promptly.prepareTurn.executeWithOptions(options, [input]);
  } catch (error) {
    if (isCancellation(error) || isFinal(error)) throw error;
    return home.prepareTurn.executeWithOptions(options, [input]);
  }
}
