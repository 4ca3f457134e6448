import { setTimeout as delay } from 'node:timers/promises';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { atMostThrice, isAway } from '../../base/tries.js';
import { stepOfTurn } from '../../base/work-of-run.js';
import { whereItIs } from '../../prepare/where-it-is.js';
import { beginTurn, hasBegun } from './begin-turn.js';
import { TurnJournal } from '../turn-journal.js';

/** Between two tries; doubled each time, up to the second. Milliseconds. */
const WAIT_MS = [1_000, 30_000] as const;
/** Characters. */
const MAX_REASON = 500;

/**
 * Begins the turn when it has a slot; while the engine or the forge are away it waits for them, and the run says so.
 * @throws what no repetition cures; what has failed three times in a row though all that is needed answers; the signal's reason
 */
export async function beginWhenPossible(
  ports: HostPorts,
  input: RunTurnInput,
  signal: AbortSignal,
): Promise<TurnJournal> {
  const { workflowId, slug, turn } = input;
  let told = '';
  for (let wait: number = WAIT_MS[0]; ; wait = Math.min(2 * wait, WAIT_MS[1])) {
    try {
      return await atMostThrice(() => tryToBegin(ports, input, signal), signal);
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error;
      ports.log.warn({ slug, turn, err: error }, 'the turn cannot begin yet; trying again');
      const reason = error.message.slice(0, MAX_REASON);
      if (reason !== told)
        await ports.channel
          .tell(workflowId, { kind: 'turn_held_up', slug, turn, reason })
          .then(() => (told = reason))
          .catch(() => undefined);
    }
    await delay(wait, undefined, { signal });
  }
}

async function tryToBegin(ports: HostPorts, input: RunTurnInput, signal: AbortSignal): Promise<TurnJournal> {
  const { slug, turn } = input;
  // Anew each time: what an earlier try has started counts as it does for another worker.
  const journal = await TurnJournal.open(ports.files, slug, turn, ports.clock);
  // What an earlier watcher has started runs already; what it left waiting waits on.
  if (await hasBegun(ports, slug, journal)) ports.slots.adopt(slug);
  else await ports.slots.acquire(slug, signal);
  // Each try by itself: waiting may take days, and is nobody's fault.
  await ports.underWay.during(stepOfTurn(input, 'begin'), () =>
    // The turn may have waited for long since it was prepared.
    whereItIs(ports.forgeFor, input, async (here) => {
      // The sidecar reads at its start where it is to write.
      if (here !== input) await ports.runtime.stop(slug, 'bundle', 1);
      await beginTurn(ports, here, journal, signal);
    }),
  );
  return journal;
}
