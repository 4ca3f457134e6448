import { BotBottleError } from '../../domain/base/errors.js';
import type { TurnResult } from '../../domain/run/turn.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { SetAsideError } from '../../domain/run/under-way.js';
import { stepOfTurn } from '../base/work-of-run.js';
import { hasBegun } from './begin/begin-turn.js';
import { beginWhenPossible } from './begin/begin-when-possible.js';
import { eitherSignal } from '../../domain/base/abort-with.js';
import { TurnJournal } from './turn-journal.js';
import { stopBundle, TurnWatch, type TurnLink } from './turn-watch.js';

/** Starts the turn or finds it running, watches it to its end, and reports what it left. Idempotent. */
export async function superviseTurn(
  ports: HostPorts,
  input: RunTurnInput,
  link: TurnLink,
): Promise<TurnResult> {
  const usedBefore = await ports.disk.look();
  const journal = await begunTurn(ports, input, link);
  link.onBegun(journal);
  const watch = new TurnWatch(ports, input, journal, link, usedBefore);
  await watch.untilExit();
  try {
    return await ports.underWay.during(stepOfTurn(input, 'end'), () => watch.finish());
  } catch (error) {
    // Nobody will collect this turn: what would have been ended there is ended here.
    if (error instanceof SetAsideError) await abandon(ports, input.slug);
    throw error;
  }
}

/**
 * Begins it, unless it had begun, or was stopped before that. Errors: what keeps it from ever beginning; the engine's,
 * when it is away while something is put away or looked at; the detach signal's reason.
 */
async function begunTurn(ports: HostPorts, input: RunTurnInput, link: TurnLink): Promise<TurnJournal> {
  const { slug } = input;
  if (input.begun || input.stop !== null) {
    const journal = await TurnJournal.open(ports.files, slug, input.turn, ports.clock);
    if (input.begun || (await hasBegun(ports, slug, journal))) {
      ports.slots.adopt(slug);
      return journal;
    }
  } else {
    try {
      return await beginWhenPossible(ports, input, eitherSignal(link.detach, link.stop));
    } catch (error) {
      if (link.detach.aborted) throw error;
      if (!link.stop.aborted) {
        await abandon(ports, slug);
        throw error;
      }
    }
  }
  await abandon(ports, slug);
  throw new BotBottleError('turn_not_begun', 'the turn was stopped before it began', false);
}

/** An agent that was started beside a sidecar that was not must not work on alone. */
async function abandon(ports: HostPorts, slug: string): Promise<void> {
  await Promise.all([ports.runtime.stop(slug, 'agent', 0), stopBundle(ports, slug)]);
  await ports.files.dropSecrets(slug);
}
