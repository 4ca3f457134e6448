import { messageOf } from '../../domain/base/message-of.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import type { RunState, RunStates } from '../../domain/run/run-states.js';
import type { FoundRun, LookedAtRun } from '../../domain/upkeep/sweep.js';

/** A query may make a worker replay the run's history: not all of them at once. */
const AT_ONCE = 4;

/** Each run with what Temporal says of it. Once Temporal is away, nothing more is asked. */
export async function lookUpRuns(
  states: RunStates,
  runs: readonly FoundRun[],
): Promise<{ readonly runs: readonly LookedAtRun[]; readonly away: boolean }> {
  let away = false;
  const looked = await mapLimited(runs, AT_ONCE, async (run): Promise<LookedAtRun> => {
    if (away) return { ...run, state: { kind: 'unknown', why: 'not asked', away: true } };
    const workflowId = run.workflowId ?? (await claimant(states, run.slug));
    if (typeof workflowId === 'object') return { ...run, state: workflowId };
    const state = await states.of(workflowId);
    if (state.kind === 'unknown' && state.away) away = true;
    return { ...run, workflowId, state };
  });
  return { runs: looked, away };
}

/** Of a run that neither its directory nor the database knows, some workflow may still say that it is its. */
export async function claimant(states: RunStates, slug: string): Promise<string | RunState> {
  try {
    return (await states.claimedBy(slug)) ?? { kind: 'gone' };
  } catch (error) {
    const why = messageOf(error).slice(0, 300);
    return { kind: 'unknown', why, away: false };
  }
}
