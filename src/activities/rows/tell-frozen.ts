import type { HomePorts } from '../ports/home-ports.js';
import type { RunRef } from '../ports/inputs.js';

/** The reaction that a refused trigger gets, on the run's issue: once, however often it is left. Errors: the forge's. */
export async function tellFrozen(
  { forgeFor, settings }: Pick<HomePorts, 'forgeFor' | 'settings'>,
  { subject }: Pick<RunRef, 'subject'>,
): Promise<void> {
  if (settings.reacts) await forgeFor(subject).react(subject.number, 'confused');
}
