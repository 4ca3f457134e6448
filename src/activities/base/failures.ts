import { ApplicationFailure } from '@temporalio/activity';
import { BotBottleError } from '../../domain/base/errors.js';
import { eachActivity } from './each-activity.js';

/**
 * The same activities, whose typed faults are Temporal's: what no repetition cures is not repeated. The message is all
 * that reaches history; causes stay in the log.
 */
export function typedFailures<T extends object>(activities: T): T {
  return eachActivity(activities, (work) => async (...input) => {
    try {
      return await work(...input);
    } catch (error) {
      throw error instanceof BotBottleError ? failureOf(error) : error;
    }
  });
}

function failureOf({ message, code, retryable }: BotBottleError): ApplicationFailure {
  return ApplicationFailure.create({ message, type: code, nonRetryable: !retryable });
}
