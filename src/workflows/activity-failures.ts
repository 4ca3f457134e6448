/** What the failure of an activity means for the run. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';

/** A worker that shuts down leaves its turns running and says so with this failure type. */
const DETACHED = 'TurnDetached';

/** Heartbeats stopped, or the worker went away in good order: the container goes on, so must the watching. */
export function isLostTurn(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT';
  return cause instanceof ApplicationFailure && cause.type === DETACHED;
}

/** The activity threw what another try may cure. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  return error.cause instanceof ApplicationFailure && !error.cause.nonRetryable;
}

/** The activity threw what no other try cures. A local one's error comes as it was thrown. */
export function isFinal(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.nonRetryable === true;
}

/** What people read of a failed activity: the message of what it threw. */
export function failureReason(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof Error ? cause.message.slice(0, 500) : 'unknown failure';
}
