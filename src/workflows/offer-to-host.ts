/** Steps that only one host can do: whether somebody there takes them. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import { questions } from './activities.js';
import { bottlesQueue } from './messages.js';

/** Milliseconds that a step waits for a worker to take it. */
export interface TakenWithin {
  readonly scheduleToStartTimeout: number;
}

/** The longest that a step is offered before its host is asked again, milliseconds. */
const MAX_OFFER_MS = 3_600_000;

/**
 * Offers a step to a host until somebody takes it. Nobody may take it because no slot is free, or because the server was
 * away and all times ran out meanwhile: so the host is asked before it is called silent. Errors: those of the step, and of
 * `whenSilent`.
 * @param silentMs the step is offered for the first half, the host is asked for the second. When it answers, the step is
 *   offered again, each time for longer, because each offer joins the queue for a slot at its end
 * @param whenSilent since when it was offered, epoch milliseconds, and what resolves when the host answers. The step is
 *   offered again when it resolves.
 */
export async function offerToHost<T>(
  host: string,
  slug: string,
  silentMs: number,
  offer: (limit: TakenWithin) => Promise<T>,
  whenSilent: (since: number, answers: () => Promise<unknown>) => Promise<void>,
): Promise<T> {
  const question = `does host ${host} answer?`;
  for (let wait = silentMs / 2; ; wait = Math.min(2 * wait, Math.max(silentMs, MAX_OFFER_MS))) {
    const since = Date.now();
    try {
      return await offer({ scheduleToStartTimeout: wait });
    } catch (error) {
      if (!isUntaken(error)) throw error;
    }
    try {
      await askHost(host, slug, question, { scheduleToStartTimeout: silentMs / 2 });
    } catch (error) {
      if (!isUntaken(error)) throw error;
      await whenSilent(since, () => askHost(host, slug, question, {}));
      wait = silentMs / 4;
    }
  }
}

/** Nobody on the host took a step, nor a question. */
export class HostSilentError extends Error {}

/** As `offerToHost`, for a step that is given up then. Errors: those of the step, and `HostSilentError`. @param then for people */
export function offerUntilSilent<T>(
  host: string,
  slug: string,
  silentMs: number,
  offer: (limit: TakenWithin) => Promise<T>,
  then: string,
): Promise<T> {
  return offerToHost(host, slug, silentMs, offer, () => {
    throw new HostSilentError(`host ${host} does not answer: ${then}`);
  });
}

/** Whoever answers is there. @param summary for Temporal's page */
export function askHost(
  host: string,
  slug: string,
  summary: string,
  limits: Partial<TakenWithin> & { readonly scheduleToCloseTimeout?: number },
): Promise<{ readonly holds: number }> {
  const options = { taskQueue: bottlesQueue(host), summary, ...limits };
  return questions.askHost.executeWithOptions(options, [{ slug }]);
}

/** No worker polled for it in the time it was given. */
function isUntaken(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}
