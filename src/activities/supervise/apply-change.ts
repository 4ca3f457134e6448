import { setTimeout as delay } from 'node:timers/promises';
import type { HostPorts } from '../ports/host-ports.js';
import type { ApplyChangeInput } from '../ports/inputs.js';
import { secretNeeds } from '../setup/current-config.js';
import { writeConfig } from '../setup/write-config.js';
import { setupWith, type TurnSetup } from '../setup/read-setup.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { isLocal } from '../../domain/forge/issue.js';
import { forbiddenIn } from '../../domain/supervise/config-change.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { keepChanges, keptChanges } from '../setup/kept-changes.js';

/** So long an engine may take to say whether the bottle still runs, milliseconds: a quarter of what an attempt may take. */
const ANSWER_MS = 5_000;

/**
 * What an operator agreed to takes effect in the bottle that runs: the sidecar sees its files change. Idempotent. Errors:
 * `InvalidInputError` for a secret that is not bound to where it would be sent, or rules that cannot be used; the engine's.
 * Then nothing has changed.
 * @param signal aborted when nobody waits for it any more: what has not taken effect may be rejected from then on
 */
export async function applyChange(
  ports: HostPorts,
  input: ApplyChangeInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const setup = await setupWith(ports, input, input.changes);
  await refuseForbidden(ports, input, setup);
  // Asked before anything is written: an engine that is away keeps the change from taking effect.
  await ports.runtime.inspect(input.slug, 'bundle');
  await ports.placing.next(input.slug, async () => {
    signal.throwIfAborted();
    await place(ports, input, setup);
  });
}

async function place(
  ports: HostPorts,
  { slug, subject, changes }: ApplyChangeInput,
  setup: TurnSetup,
): Promise<void> {
  const { files, runtime } = ports;
  await files.placeSecrets(slug, secretNeeds(setup), { forgeToken: !isLocal(subject) });
  await writeConfig(ports, slug, setup);
  await keepChanges(files, slug, changes);
  // Its turn may have ended meanwhile, and a bottle that rests has no secrets. The change is in effect, so an engine that
  // does not answer now fails it no more: the sweep takes secrets of a bottle that rests.
  const isOver = await Promise.race([
    runtime.inspect(slug, 'bundle').then(
      (bundle) => bundle?.status !== 'running',
      () => false,
    ),
    delay(ANSWER_MS, false, { ref: false }),
  ]);
  if (isOver) await files.dropSecrets(slug);
}

/** An operator's own version of a file was not looked at when the agent proposed the other one. */
async function refuseForbidden(
  ports: HostPorts,
  { slug, changes }: ApplyChangeInput,
  setup: TurnSetup,
): Promise<void> {
  const ref = changes.at(-1);
  // One that is in effect stays so where another one is taken back.
  if (ref === undefined || (await keptChanges(ports.files, slug)).includes(ref)) return;
  const { change } = JSON.parse(await ports.blobs.getText(ref)) as ShownProposal;
  const why = forbiddenIn(change, { ...ports, ownRoutes: setup.ownRoutes });
  if (why !== null) throw new InvalidInputError(why);
}
