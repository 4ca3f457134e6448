/** Every agent that a label can name, as it stands with the operator's manifests and secrets. */
import type { AgentNeeds } from './agent-needs.js';

export interface AgentStanding {
  readonly name: string;
  /** The manifest is the operator's own, not one that comes with the product. */
  readonly isOwn: boolean;
  /** It has no model: it stands in for an agent in demos and tests. */
  readonly isStandIn: boolean;
  readonly providers: AgentNeeds['providers'];
  readonly verdict:
    | AgentNeeds['verdict']
    /** The manifest, or the one of its bottle, cannot be read or is not there. */
    | { readonly kind: 'broken'; readonly why: string };
  /** What its bottle is made from; `null` while it cannot run. */
  readonly image: string | null;
}

/** Whether people are offered a label for it: it can run, and is no stand-in that nobody asked for. */
export function isOffered({ verdict, isOwn, isStandIn }: AgentStanding): boolean {
  return verdict.kind === 'ready' && (isOwn || !isStandIn);
}

/** Why it is not offered, with what to do; `null` where it is. */
export function whyNotOffered(agent: AgentStanding): string | null {
  if (isOffered(agent)) return null;
  return agent.verdict.kind === 'ready' ? 'it stands in for an agent in demos and tests' : agent.verdict.why;
}

/** What the operator set up, or a manifest says, is wrong; that a key was never set is not, for what comes with the product. */
export function isWrong({ verdict, isOwn }: AgentStanding): boolean {
  return verdict.kind === 'broken' || (verdict.kind === 'lacks' && (isOwn || !verdict.isUnset));
}
