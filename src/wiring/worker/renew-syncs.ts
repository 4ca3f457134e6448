/** Schedules of syncs hold their orders, and nobody else writes them again: so that an old key of the codec can go. */
import type { Client } from '@temporalio/client';
import { renewSyncSchedules } from '../../adapters/temporal/sync-schedules.js';
import { withCallsUntil } from '../../adapters/temporal/with-calls-until.js';
import type { Logger } from '../../config/log.js';
import { persistently } from './persistently.js';

/** Once, as soon as Temporal lets it; resolves when that is done or has been stopped. */
export async function renewSyncs(client: Client, log: Logger, stopped: AbortSignal): Promise<void> {
  await persistently(
    async () => {
      for (const { owner, repo } of await withCallsUntil(client, stopped, () => renewSyncSchedules(client)))
        log.warn(
          { owner, repo },
          'the schedule of a sync cannot be decoded: add the key to TEMPORAL_CODEC_KEYS again, or call sync schedule again',
        );
    },
    (err) => {
      log.warn({ err }, 'the schedules of syncs cannot be written again yet; trying again');
    },
    stopped,
  );
}
