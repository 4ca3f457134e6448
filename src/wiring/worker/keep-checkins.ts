/** Keeps the last check-in of every run that works in its row, for as long as the worker runs. */
import type { Client } from '@temporalio/client';
import { noteCheckins } from '../../activities/rows/note-checkins.js';
import { watchedTurns } from '../../adapters/temporal/watched-turns.js';
import type { Database } from '../../domain/run/stores.js';
import { withCallsUntil } from '../../adapters/temporal/with-calls-until.js';
import type { Logger } from '../../config/log.js';
import { waited } from './persistently.js';

const EVERY_MS = 15_000;

/** Resolves when it has stopped. Temporal being away is only logged. */
export async function keepCheckins(
  client: Client,
  database: Database,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  const ports = { database, watched: watchedTurns(client), now: Date.now };
  let failing = false;
  while (await waited(EVERY_MS, stopped)) {
    try {
      await withCallsUntil(client, stopped, () => noteCheckins(ports));
      failing = false;
    } catch (err) {
      if (!failing && !stopped.aborted) log.warn({ err }, 'last check-ins cannot be read; trying again');
      failing = true;
    }
  }
}
