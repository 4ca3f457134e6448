/** Composition root of the sweeper: its activities, and its schedule at Temporal. */
import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { HostPorts } from '../../activities/ports/host-ports.js';
import type { RowReviewActivities, SweepActivities } from '../../activities/ports/interface.js';
import { createRowReviewActivities, type ReviewPorts } from '../../activities/publish/review-rows.js';
import { createSweepActivities } from '../../activities/sweep/sweep-activity.js';
import type { Attachments } from '../../activities/turn/attachments.js';
import { sweepFile } from '../../adapters/files/sweep-file.js';
import { temporalRunStates } from '../../adapters/temporal/run-states.js';
import { setSweepSchedule } from '../../adapters/temporal/pass-schedule.js';
import type { Config } from '../../config/load-config.js';
import { keepSchedule } from './keep-schedule.js';
import type { Logger } from '../../config/log.js';
import { SWEEP_WORKFLOW } from '../../workflows/messages.js';

export interface SweeperParts {
  readonly client: Client;
  readonly home: Omit<ReviewPorts, 'clock' | 'log' | 'runStates'>;
  readonly ports: HostPorts;
  readonly attachments: Attachments;
}

export function sweepActivities(
  config: Config,
  { client, home, ports, attachments }: SweeperParts,
): { readonly home: RowReviewActivities; readonly host: SweepActivities } {
  const runStates = temporalRunStates(client);
  const { clock, log } = ports;
  return {
    home: createRowReviewActivities({ ...home, runStates, clock, log }),
    host: createSweepActivities({
      ...ports,
      runStates,
      sweeps: sweepFile(path.join(config.BOT_BOTTLE_HOME, 'sweep.json')),
      archiveAfterMs: config.FREEZE_ARCHIVE_AFTER,
      isWatched: (slug) => attachments.has(slug),
    }),
  };
}

/** Keeps the schedule of this host's sweeps, which begin with one now; resolves when it has stopped. */
export async function keepSweepSchedule(
  client: Client,
  host: string,
  config: Config,
  log: Logger,
  stopped: AbortSignal,
): Promise<void> {
  const intervalMs = config.BOTTLE_SWEEP_INTERVAL;
  await keepSchedule(client, log, stopped, {
    name: 'sweeper',
    workflowType: SWEEP_WORKFLOW,
    fields: { intervalMs },
    set: () => setSweepSchedule(client, host, intervalMs),
  });
}
