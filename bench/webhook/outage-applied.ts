/** Waits until what an outage has held back reached the workflows, and looks whether all of it did. */
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { openInbox } from '../../src/adapters/sqlite/inbox/open-inbox.js';
import type { RunEvent } from '../../src/domain/run/events.js';
import { workflowIdOf } from '../../src/domain/forge/issue.js';
import { cleaningUp } from '../base/clean-up.js';
import { short } from '../base/figure.js';
import { signalOf } from '../base/history-events.js';
import type { OutageLoad } from './outage-load.js';
import { outcomes, whatWentMissing } from './outage-outcome.js';
import { until } from '../base/until.js';

const APPLIED_MS = 180_000;

/**
 * Temporal has just come back: waits until nothing is open in the inbox of this home, then looks for every delivery in its
 * decisions and for every comment in the histories. Notes for a person. Errors: when something did not reach its workflow.
 */
export async function untilApplied(
  home: string,
  load: OutageLoad,
  client: Client,
): Promise<readonly string[]> {
  const began = performance.now();
  const inbox = openInbox(join(home, 'inbox.db'));
  return cleaningUp(
    () => inbox.close(),
    async () => {
      await until(
        'everything to be applied',
        () => (inbox.stats().open === 0 ? true : undefined),
        APPLIED_MS,
      );
      const seconds = (performance.now() - began) / 1000;
      const { open } = inbox.stats();
      const deliveries = load.warmUp.length + load.deliveries.length;
      const decisions = inbox.decisions(2 * deliveries);
      const signalledKeys = await keysInHistories(load, client);
      const wrong = whatWentMissing({
        deliveries,
        issues: load.subjects.length,
        commentIds: load.commentIds,
        open,
        decisions,
        signalledKeys,
      });
      if (wrong.length > 0) throw new Error(`not everything was applied: ${wrong.join('; ')}`);
      return [
        `everything was applied ${short(seconds)} s after Temporal was back: ${outcomes(decisions)
          .map(([what, count]) => `${String(count)} ${what}`)
          .join(', ')}`,
        `${String(new Set(signalledKeys).size)} of ${String(load.commentIds.length)} comments in the histories of ${String(load.subjects.length)} workflows, ${String(signalledKeys.length - new Set(signalledKeys).size)} of them twice`,
      ];
    },
  );
}

type References = Extract<RunEvent, { kind: 'references' }>;

async function keysInHistories(load: OutageLoad, client: Client): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const subject of load.subjects) {
    const { events } = await client.workflow.getHandle(workflowIdOf(subject)).fetchHistory();
    for (const event of events ?? []) {
      const told = signalOf(event) as Partial<References> | undefined;
      keys.push(...(told?.references ?? []).map(({ key }) => key));
    }
  }
  return keys;
}
