import type { HomePorts } from '../ports/home-ports.js';
import type { TellChecksStoppedInput } from '../ports/inputs.js';

const TEXT =
  'The checks of this pull request have failed again. Failed checks have woken me three times in a row, so they do not ' +
  'wake me any more: I wait for a person. A comment or a review wakes me, and they count anew from then on.';

/**
 * A comment on the run's pull request, once a turn: a reaction could not say why nothing happens. None with
 * `FORGE_ACK=none`. Errors: the forge's.
 */
export async function tellChecksStopped(
  { forgeFor, settings }: Pick<HomePorts, 'forgeFor' | 'settings'>,
  { subject, slug, turn, pr }: TellChecksStoppedInput,
): Promise<void> {
  if (!settings.reacts) return;
  await forgeFor(subject).postComment(pr, TEXT, `checks-stopped-${slug}-${String(turn)}`);
}
