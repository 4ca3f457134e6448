/** A run comes to a host. */
import type { RunRef } from '../activities/ports/inputs.js';
import type { InnerEvent } from '../domain/run/events.js';
import { claims, rows } from './activities.js';
import { askHost } from './offer-to-host.js';

/** A host that was just claimed answers within this, milliseconds, or the claim has failed. */
const ANSWER_MS = 60_000;

/** @param moved the run, when it had a host before: the new one is asked what it has of it */
export async function claimHost(
  moved: RunRef | null,
): Promise<Extract<InnerEvent, { kind: 'host_claimed' }>> {
  // A claim costs six events and a task that decides nothing.
  const sole = await rows.soleHost.executeWithOptions({ summary: 'the only host?' }, []);
  const host = sole ?? (await claims.claimHost.executeWithOptions({ summary: 'claim a host' }, [])).host;
  if (moved === null) return { kind: 'host_claimed', host };
  const limits = { scheduleToCloseTimeout: ANSWER_MS };
  const { holds } = await askHost(host, moved.slug, `what has host ${host} of the run?`, limits);
  return { kind: 'host_claimed', host, holds };
}
