import { Context } from '@temporalio/activity';

/** A tenth of the heartbeat time-out: a worker that is gone is missed after that, not after the whole start-to-close. */
export const HEARTBEAT_MS = 1_000;

/** Runs an activity's work with heartbeats beside it. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => {
    context.heartbeat();
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
