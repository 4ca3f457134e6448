import type { HomePorts } from '../ports/home-ports.js';
import type { ChangesInput } from '../ports/inputs.js';
import { routeProblem } from '../../domain/agent/agent-needs.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { EgressRules } from '../../domain/egress/route.js';
import {
  forbiddenIn,
  readChangedRoutes,
  routesIn,
  withChange,
} from '../../domain/supervise/config-change.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';

/**
 * Whether the last of the changes can take effect beside the others, as the host of a running turn finds out when it
 * applies them: a run that rests has no bottle to find it out in, and could never run again. Errors: `InvalidInputError`
 * that says why not.
 */
export async function checkChange(
  { blobs, isPublicSuffix, secret }: Pick<HomePorts, 'blobs' | 'isPublicSuffix' | 'secret'>,
  { changes }: ChangesInput,
): Promise<void> {
  const agreed = await Promise.all(changes.map(async (ref) => readShownProposal(await blobs.getText(ref))));
  const last = agreed.pop();
  if (last === undefined) return;
  const { change, ownRoutes = [] } = last;
  refuse(forbiddenIn(change, { ownRoutes, isPublicSuffix }));
  if (change.kind !== 'routes') return;
  const read = readChangedRoutes(withChange(rulesBefore(last, agreed), change));
  if ('refusal' in read) refuse(read.refusal);
  for (const route of change.set) refuse(routeProblem({ secret }, route));
}

function rulesBefore({ currentFile }: ShownProposal, agreed: readonly ShownProposal[]): EgressRules {
  // Those that the file has already make no difference: what came after them follows here, too.
  return agreed.reduce<EgressRules>((rules, { change }) => withChange(rules, change), {
    allow: [],
    routes: routesIn(currentFile),
  });
}

function refuse(why: string | null): void {
  if (why !== null) throw new InvalidInputError(why);
}
