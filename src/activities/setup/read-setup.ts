import type { TurnBottle } from '../../domain/bottle/bottle-setup.js';
import { routeAddress } from '../../domain/egress/agent-env.js';
import type { EgressRules } from '../../domain/egress/route.js';
import { readRoutes } from '../../domain/egress/routes.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { PreparedTurn } from '../../domain/run/events.js';
import { registryAccess, type RegistryClients } from '../../domain/bottle/registries.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { ownRouteIn, readChangedRoutes, withChange } from '../../domain/supervise/config-change.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { keptChanges } from './kept-changes.js';
import { modelRoute } from './model-route.js';

/** What the bottle's manifest asks for, with what this host makes of it. */
export interface TurnSetup extends TurnBottle {
  readonly clients: RegistryClients;
  /** Where the agent finds its model; `null` without a route to it. */
  readonly modelUrl: string | null;
  /** The route to a model whose key needs no binding, because it leads to the vendor itself; `null` without one. */
  readonly vendorRoute: string | null;
  /** Names of routes that no manifest and no operator gave, and nobody may change. */
  readonly ownRoutes: readonly string[];
}

type OfTurn = Pick<RunTurnInput, 'slug' | 'prepared'>;

/**
 * What the bottle's manifest asked for when this turn was prepared, with what operators have agreed to since; the routes are
 * joined by those to its registries and to its agent's model. Errors: the blob store's; `InvalidInputError` for what this
 * host cannot give.
 */
export async function readSetup(ports: HostPorts, input: OfTurn): Promise<TurnSetup> {
  return setupWith(ports, input, await keptChanges(ports.files, input.slug));
}

/** @param changes blobs of `ShownProposal`s, in order */
export async function setupWith(
  ports: HostPorts,
  input: OfTurn,
  changes: readonly string[],
): Promise<TurnSetup> {
  const setup = await withoutChanges(ports, input);
  let rules: EgressRules = setup;
  for (const ref of changes) {
    const { change } = JSON.parse(await ports.blobs.getText(ref)) as ShownProposal;
    const taken = ownRouteIn(change, setup.ownRoutes);
    if (taken !== undefined)
      throw new InvalidInputError(`route "${taken}" is bot-bottle's own: it cannot be changed`);
    rules = withChange(rules, change);
  }
  const read = readChangedRoutes(rules);
  if ('refusal' in read) throw new InvalidInputError(read.refusal);
  return { ...setup, allow: rules.allow, routes: read.routes };
}

async function withoutChanges(ports: HostPorts, input: OfTurn): Promise<TurnSetup> {
  const setup = await readBottle(ports, input);
  const { routes, clients } = registryAccess(setup.registries, ports.settings.registries, input.prepared.env);
  const taken = routes.find(({ name }) => setup.routes.some((route) => route.name === name));
  if (taken !== undefined) {
    throw new InvalidInputError(
      `the bottle has a route "${taken.name}" and asks for a registry of that name: rename the route`,
    );
  }
  const { provider, model } = input.prepared;
  const access = ports.provider(provider).access(model);
  const toModel = access === null ? null : modelRoute(ports, access, model, setup.routes);
  const isNew = toModel !== null && !setup.routes.includes(toModel.route);
  // The sidecar reads them in the same way, and would refuse all of them for one.
  const read = readRoutes([...setup.routes, ...routes, ...(isNew ? [toModel.route] : [])]);
  if (read.kind === 'problems')
    throw new InvalidInputError(`the bottle's routes cannot be used: ${read.problems.join('; ')}`);
  return {
    ...setup,
    routes: read.routes,
    clients,
    modelUrl: toModel === null ? null : routeAddress(toModel.route),
    vendorRoute: toModel?.isVendors === true ? toModel.route.name : null,
    ownRoutes: [...routes, ...(isNew ? [toModel.route] : [])].map(({ name }) => name),
  };
}

/** The manifest's part alone. */
export async function readBottle(
  { blobs }: Pick<HostPorts, 'blobs'>,
  { prepared }: { readonly prepared: Pick<PreparedTurn, 'bottleRef'> },
): Promise<TurnBottle> {
  return JSON.parse(await blobs.getText(prepared.bottleRef)) as TurnBottle;
}
