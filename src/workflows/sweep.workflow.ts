/** One sweep of a host, started by its schedule. */
import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { RowReviewActivities, SweepActivities } from '../activities/ports/interface.js';
import type { SweepReport } from '../domain/upkeep/sweep.js';
import { bottlesQueue, TASK_QUEUE } from './messages.js';

/** One attempt each: the next sweep comes anyway, and finds what this one left. */
const common = { heartbeatTimeout: '10 seconds', retry: { maximumAttempts: 1 } } as const;
const home = proxyActivities<RowReviewActivities>({
  ...common,
  taskQueue: TASK_QUEUE,
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '6 minutes',
});
const onHost = proxyActivities<SweepActivities>({
  ...common,
  // A host that is away is looked at when it is back.
  scheduleToStartTimeout: '2 minutes',
  startToCloseTimeout: '45 minutes',
});

export async function sweepWorkflow({ host }: { readonly host: string }): Promise<SweepReport> {
  const rows = { summary: 'rows of runs that have ended' };
  const { expected, repaired } = await home.reviewRows.executeWithOptions(rows, [{ host }]);
  const things = {
    taskQueue: bottlesQueue(host),
    summary: 'containers, volumes and directories nobody needs',
  };
  const swept = await onHost.sweepHost.executeWithOptions(things, [{ expected }]);
  const report = { ...swept, entries: [...repaired, ...swept.entries] };
  setCurrentDetails(detailsOf(report));
  return report;
}

/** Details of entries may repeat what others said, and this is Markdown: slugs and our own words only. */
function detailsOf({ end, runs, waiting, entries, durationMs }: SweepReport): string {
  return [
    `**${end}**: ${String(runs)} runs in ${String(durationMs)} ms, ${String(waiting)} things seen for the first time`,
    ...entries.slice(0, 50).map(({ slug, what, outcome }) => `- \`${slug}\` ${what}: ${outcome}`),
  ].join('\n');
}
