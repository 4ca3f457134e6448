import { setTimeout as delay } from 'node:timers/promises';
import { Sleep } from '../base/waking.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { startedAt } from './ask-agent.js';
import type { TurnJournal } from './turn-journal.js';

/** A turn whose time is over while it is held for the operator is looked at again so soon, milliseconds. */
const HELD_MS = 500;
/** Whether the machine slept is looked at so often, milliseconds. */
const LOOK_MS = 60_000;

/**
 * Resolves when the turn's time is over, or the signal aborts: time since the container started, less what was held for the
 * operator or slept by the machine.
 */
export async function untilTimeIsOver(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  isHeld: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const began = await startedAt(ports, input.slug, signal);
  const sleep = new Sleep(ports.clock);
  while (!signal.aborted) {
    journal.hold(sleep.slept());
    const left = began + input.turnTimeoutMs + journal.record.heldMs - ports.clock.now();
    if (left <= 0 && !isHeld()) return;
    await delay(Math.min(Math.max(left, HELD_MS), LOOK_MS), undefined, { signal }).catch(() => undefined);
  }
}
