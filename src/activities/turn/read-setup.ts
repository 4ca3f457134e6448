import type { BottleSetup } from '../../domain/bottle-setup.js';
import { readRoutes } from '../../domain/egress/routes.js';
import { InvalidInputError } from '../../domain/errors.js';
import { registryAccess, type RegistryClients } from '../../domain/registries.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';

/** What the bottle's manifest asks for, with what this host makes of it. */
export interface TurnSetup extends BottleSetup {
  readonly clients: RegistryClients;
}

/**
 * What the bottle's manifest asked for when this turn was prepared; the routes are joined by those to its registries.
 * Errors: the blob store's; `InvalidInputError` for what this host cannot give.
 */
export async function readSetup(ports: HostPorts, input: RunTurnInput): Promise<TurnSetup> {
  const setup = JSON.parse(await ports.blobs.getText(input.prepared.bottleRef)) as BottleSetup;
  for (const key of ['submodules', 'lfs'] as const) {
    if (setup.workspace[key])
      throw new InvalidInputError(
        `workspace.${key} is not supported by this version: remove it from the bottle`,
      );
  }
  const { routes, clients } = registryAccess(setup.registries, ports.settings.registries, input.prepared.env);
  const taken = routes.find(({ name }) => setup.routes.some((route) => route.name === name));
  if (taken !== undefined) {
    throw new InvalidInputError(
      `the bottle has a route "${taken.name}" and asks for a registry of that name: rename the route`,
    );
  }
  // The sidecar reads them in the same way, and would refuse all of them for one.
  const read = readRoutes([...setup.routes, ...routes]);
  if (read.kind === 'problems')
    throw new InvalidInputError(`the bottle's routes cannot be used: ${read.problems.join('; ')}`);
  return { ...setup, routes: read.routes, clients };
}
