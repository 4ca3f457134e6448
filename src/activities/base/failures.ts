import { ApplicationFailure } from '@temporalio/activity';
import { BotBottleError } from '../../domain/base/errors.js';

type Activity = (...input: unknown[]) => Promise<unknown>;

/**
 * The same activities, whose typed faults are Temporal's: what no repetition cures is not repeated. The message is all
 * that reaches history; causes stay in the log.
 */
export function typedFailures<T extends object>(activities: T): T {
  const typed = Object.entries(activities).map(([name, work]: [string, Activity]) => [
    name,
    async (...input: unknown[]): Promise<unknown> => {
      try {
        return await work(...input);
      } catch (error) {
        throw error instanceof BotBottleError ? failureOf(error) : error;
      }
    },
  ]);
  return Object.fromEntries(typed) as T;
}

function failureOf({ message, code, retryable }: BotBottleError): ApplicationFailure {
  return ApplicationFailure.create({ message, type: code, nonRetryable: !retryable });
}
