import { ApplicationFailure } from '@temporalio/activity';
import { BotBottleError, ForgeHttpError } from '../../domain/base/errors.js';

/** A forge that asks for a longer wait is asked again all the same. */
const MOST_ASKED_MS = 15 * 60_000;

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
  const asked = fault instanceof ForgeHttpError ? fault.retryAfterMs : undefined;
  const later = asked === undefined ? {} : { nextRetryDelay: Math.min(asked, MOST_ASKED_MS) };
  return ApplicationFailure.create({ message, type, nonRetryable: !retryable, ...later });
}
