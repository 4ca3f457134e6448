import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE } from '../scale/patience.js';

/** Asks until there is an answer. Errors: after `timeoutMs`, times the tests' patience, without one. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs * PATIENCE;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`never seen: ${what}`);
    await sleep(10);
  }
}
