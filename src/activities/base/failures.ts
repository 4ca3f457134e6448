import { ApplicationFailure } from '@temporalio/activity';
import { BotBottleError } from '../../domain/base/errors.js';

/**
 * Runs an activity's work and turns our typed faults into Temporal's: what no repetition cures is not repeated. The
 * message is all that reaches history; causes stay in the log.
 */
export async function typedFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BotBottleError) {
      throw ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: !error.retryable,
      });
    }
    throw error;
  }
}
