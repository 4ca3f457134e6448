import type { HostPorts } from '../ports/host-ports.js';
import type { ApplyChangeInput } from '../ports/inputs.js';
import { secretNeeds } from '../setup/current-config.js';
import { writeConfig } from '../setup/write-config.js';
import { setupWith } from '../setup/read-setup.js';
import { isLocal } from '../../domain/forge/issue.js';
import { keepChanges } from '../setup/kept-changes.js';

/**
 * What an operator agreed to takes effect in the bottle that runs: the sidecar sees its files change. Idempotent. Errors:
 * `InvalidInputError` for a secret that is not bound to where it would be sent, or rules that cannot be used; then nothing has
 * changed.
 */
export async function applyChange(ports: HostPorts, input: ApplyChangeInput): Promise<void> {
  const { slug, changes } = input;
  const { files, runtime } = ports;
  const setup = await setupWith(ports, input, changes);
  const forgeToken = !isLocal(input.subject);
  await files.placeSecrets(slug, secretNeeds(setup), { forgeToken });
  await writeConfig(ports, slug, setup);
  await keepChanges(files, slug, changes);
  // Its turn may have ended meanwhile, and a bottle that rests has no secrets.
  const bundle = await runtime.inspect(slug, 'bundle');
  if (bundle?.status !== 'running') await files.dropSecrets(slug);
}
