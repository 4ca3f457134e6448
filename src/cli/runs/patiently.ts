import { setTimeout as sleep } from 'node:timers/promises';
import { UnreachableError } from '../base/errors.js';
import { isAway } from './call-workflow.js';

/** A server that restarts must not end a wait of hours. */
const MAX_AWAY_MS = 5 * 60_000;
const RETRY_MS = 500;

/** Asks again while Temporal or its worker does not answer, for five minutes. Errors: those of `ask`. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  let awaySince: number | undefined;
  for (;;) {
    const asked = Date.now();
    try {
      return await ask();
    } catch (error) {
      const now = Date.now();
      // It was there meanwhile, if the question itself stood for that long.
      if (awaySince === undefined || now - asked > MAX_AWAY_MS) awaySince = now;
      if (!(error instanceof UnreachableError || isAway(error)) || now - awaySince > MAX_AWAY_MS) throw error;
    }
    await sleep(RETRY_MS);
  }
}
