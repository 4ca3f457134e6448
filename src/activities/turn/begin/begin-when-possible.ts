import { setTimeout as delay } from 'node:timers/promises';
import { BotBottleError } from '../../../domain/base/errors.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { stepOfTurn } from '../../base/work-of-run.js';
import { beginTurn, hasBegun } from './begin-turn.js';
import { TurnJournal } from '../turn-journal.js';

/** Between two tries; doubled each time, up to the second. Milliseconds. */
const WAIT_MS = [1_000, 30_000] as const;
/** Characters. */
const MAX_REASON = 500;

/**
 * Begins the turn when it has a slot; while the engine or the forge are away it waits for them, and the run says so. Errors: what no
 * repetition cures, or the signal's reason.
 */
export async function beginWhenPossible(
  ports: HostPorts,
  input: RunTurnInput,
  signal: AbortSignal,
): Promise<TurnJournal> {
  const { workflowId, slug, turn } = input;
  let told = '';
  for (let wait: number = WAIT_MS[0]; ; wait = Math.min(2 * wait, WAIT_MS[1])) {
    // Anew each time: what an earlier try has started counts as it does for another worker.
    const journal = await TurnJournal.open(ports.files, slug, turn, ports.clock);
    try {
      await takeSlot(ports, slug, journal, signal);
      // Each try by itself: waiting may take days, and is nobody's fault.
      await ports.underWay.during(stepOfTurn(input, 'begin'), () => beginTurn(ports, input, journal, signal));
      return journal;
    } catch (error) {
      if (signal.aborted || !(error instanceof BotBottleError) || !error.retryable) throw error;
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

/** What an earlier watcher has started runs already; what it left waiting waits on. */
async function takeSlot(
  ports: HostPorts,
  slug: string,
  journal: TurnJournal,
  signal: AbortSignal,
): Promise<void> {
  if (await hasBegun(ports, slug, journal)) ports.slots.adopt(slug);
  else await ports.slots.acquire(slug, signal);
}
