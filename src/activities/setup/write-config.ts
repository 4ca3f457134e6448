import type { HostPorts } from '../ports/host-ports.js';
import { currentConfig } from './current-config.js';
import type { TurnSetup } from './read-setup.js';
import { shownImage } from './run-image-file.js';

/** Puts what agent and sidecar read of the bottle's configuration in place; writing the same again changes nothing. */
export async function writeConfig(ports: HostPorts, slug: string, setup: TurnSetup): Promise<void> {
  await ports.files.writeCurrentConfig(slug, currentConfig(setup, await shownImage(ports, slug, setup)));
}
