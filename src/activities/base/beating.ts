import { Context } from '@temporalio/activity';

/** A tenth of the heartbeat time-out: a worker that is gone is missed after that, not after the whole start-to-close. */
export const HEARTBEAT_MS = 1_000;

/**
 * Runs an activity's work with heartbeats beside it. Whoever cancels the activity waits no longer than for the next of
 * them: the work gets the signal, and what it still does then is of no consequence.
 */
export async function beating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_MS);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    clearInterval(timer);
  }
}
