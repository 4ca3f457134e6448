import { setTimeout as delay } from 'node:timers/promises';
import { isLocal } from '../../domain/forge/issue.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { secretNeeds } from '../setup/current-config.js';
import { writeConfig } from '../setup/write-config.js';
import { isGone } from '../base/is-gone.js';
import { readSetup } from '../setup/read-setup.js';
import type { TurnJournal } from './turn-journal.js';
import { writeHeader } from './begin/write-header.js';

/** A sidecar that dies is restarted this often within a turn; after that the run is frozen. */
const MAX_RESTARTS = 2;
const RETRY_MS = 1_000;
/** A restart that fails before it starts anything is tried for about a minute: a disk may get room, a secret its file. */
const MAX_TRIES = 60;

/**
 * Keeps the sidecar bundle alive while the turn runs. Resolves when the signal aborts, or with `gave_up`.
 * @param takeIn what the last one left in the queue is delivered when it resolves
 */
export async function keepBundle(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  signal: AbortSignal,
  takeIn: () => Promise<void>,
): Promise<'ended' | 'gave_up'> {
  const { slug, turn } = input;
  let tries = 0;
  for (;;) {
    if (signal.aborted) return 'ended';
    try {
      const exitCode = await ports.runtime.waitForExit(slug, 'bundle', signal);
      const restarts = journal.record.sidecarRestarts;
      if (restarts >= MAX_RESTARTS || tries >= MAX_TRIES) {
        ports.log.warn({ slug, turn, exitCode, tries }, 'the sidecar died again; giving the turn up');
        return 'gave_up';
      }
      if (tries === 0)
        ports.log.warn({ slug, turn, exitCode, restarts: restarts + 1 }, 'the sidecar died; restarting it');
      tries += 1;
      await takeIn();
      await ports.placing.next(slug, () => startAnew(ports, input, journal));
      tries = 0;
    } catch (error) {
      if (await isGone(ports.runtime, slug, 'bundle')) {
        ports.log.warn({ slug, turn }, 'the sidecar is gone; giving the turn up');
        return 'gave_up';
      }
      if (!isAbort(error))
        ports.log.warn({ slug, turn, err: error }, 'the sidecar could not be watched; trying again');
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/**
 * Read here, not before: an operator's change may have taken effect since the sidecar died. Started here, too: who applies a
 * change takes the secrets of a bottle whose sidecar does not run.
 */
async function startAnew(ports: HostPorts, input: RunTurnInput, journal: TurnJournal): Promise<void> {
  const { slug } = input;
  const setup = await readSetup(ports, input);
  await Promise.all([
    ports.files.placeSecrets(slug, secretNeeds(setup), { forgeToken: !isLocal(input.subject) }),
    writeConfig(ports, slug, setup),
    writeHeader(ports, input, setup),
  ]);
  // What failed so far started nothing: it is tried again, as one restart.
  await journal.decide({ sidecarRestarts: journal.record.sidecarRestarts + 1 });
  await ports.runtime.start(slug, 'bundle');
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
