import { ApplicationFailure } from '@temporalio/activity';
import { BotBottleError, ForgeHttpError } from '../../domain/base/errors.js';

/** A forge that asks for a longer wait is asked again all the same: an `open_pr` has ten minutes. */
const MOST_ASKED_MS = 2 * 60_000;

const LEAST_ASKED_MS = 30_000;

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

function failureOf(fault: BotBottleError): ApplicationFailure {
  const { message, code: type, retryable } = fault;
  const asked = fault instanceof ForgeHttpError ? (fault.retryAfterMs ?? 0) : 0;
  // The server tries no more after a delay of nothing, and its own policy waits long enough where less is asked.
  const later = asked < LEAST_ASKED_MS ? {} : { nextRetryDelay: Math.min(asked, MOST_ASKED_MS) };
  return ApplicationFailure.create({ message, type, nonRetryable: !retryable, ...later });
}
