/** What the host of a running turn finds when a change takes effect there; a frozen run has no turn to find it in. */
import { routeProblem, type NeedsWorld } from '../../domain/agent/agent-needs.js';
import type { ProposalRow } from '../../domain/run/rows.js';
import {
  readChangedRoutes,
  routesIn,
  withChange,
  type EgressRules,
} from '../../domain/supervise/config-change.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../domain/supervise/shown-proposal.js';
import { inEffect, type Decision } from '../base/proposal-desk.js';
import type { ProposalRecords } from './proposal-reader.js';

/** Why no turn could begin with it in effect, beside all that was agreed to for the run; `null` when nothing is wrong. */
export async function changeRefusal(
  world: ProposalRecords & Pick<NeedsWorld, 'secret'>,
  { slug, tool, ref }: ProposalRow,
  decision: Decision,
): Promise<string | null> {
  if (tool !== 'cred-proxy-block' || decision.verdict === 'reject') return null;
  const shown = readShownProposal(await world.readText(ref));
  const change = inEffect(decision, shown)?.change;
  if (change?.kind !== 'routes') return null;
  let rules: EgressRules = { allow: [], routes: routesIn(shown.currentFile) };
  // Those that the file has already make no difference: what came after them follows here, too.
  for (const agreed of await agreedTo(world, slug)) rules = withChange(rules, agreed.change);
  const read = readChangedRoutes(withChange(rules, change));
  if ('refusal' in read) return read.refusal;
  return change.set.map((route) => routeProblem(world, route)).find((problem) => problem !== null) ?? null;
}

/** In the order in which it takes effect. */
async function agreedTo(world: ProposalRecords, slug: string): Promise<readonly ShownProposal[]> {
  const proposals = await world.database.proposals.ofRun(slug);
  const decisions = proposals.flatMap(({ decision }) => decision ?? []).sort((a, b) => a.at - b.at);
  const refs = decisions.flatMap(({ ref }) => ref ?? []);
  return Promise.all(refs.map(async (ref) => readShownProposal(await world.readText(ref))));
}
