import type { BottleSetup } from '../../domain/bottle-setup.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';

/** What the bottle's manifest asked for when this turn was prepared. Errors: the blob store's. */
export async function readSetup(ports: HostPorts, input: RunTurnInput): Promise<BottleSetup> {
  return JSON.parse(await ports.blobs.getText(input.prepared.bottleRef)) as BottleSetup;
}
