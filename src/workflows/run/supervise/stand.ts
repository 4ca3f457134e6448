/** A decision counts from now on, or never will because the run ends. Pure. */
import { note, type LifeDraft } from '../draft.js';
import { shortProposalId } from '../../../domain/supervise/proposal.js';
import { runRef } from '../inputs.js';
import { queued, waiting } from './proposals-read.js';
import type { Life, ProposalDecision, RunProposal } from '../state.js';
import { wakeIfAny } from '../turn.js';

/** The decision counts from now on, and wakes a run that is frozen. */
export function stands(d: LifeDraft, one: RunProposal): void {
  const { s, life, commands } = d;
  const { id, tool, decision } = one;
  if (decision === null) return;
  // Its steps may have run, whatever has come of them.
  const tried = decision.ref === null && tool === 'capability-block' ? buildOf(life, id) : null;
  // Nobody asked, so nobody is to hear of a no.
  const told = one.told || (one.isOffer === true && decision.ref === null);
  replace(life, { ...one, isApplied: false, told });
  if (decision.ref !== null) life.changes = [...life.changes, decision.ref];
  note(d, `${tool} ${shortProposalId(id)} ${decision.status} by ${decision.by}`);
  const { status, by, at, ref, notesRef } = decision;
  commands.push({
    kind: 'record_decision',
    input: {
      ...runRef(s, life),
      tool,
      decision: { id, status, who: by, at, ref, notesRef },
      ...(tried !== null && { tried }),
    },
  });
  if (life.closing === null) wakeIfAny(d);
}

/** Blob of what is being built for it. */
function buildOf({ proposals }: Life, id: string): string | null {
  return proposals.find((known) => known.id === id)?.decision?.ref ?? null;
}

/** The run is to end: nobody decides any more. */
export function cancelProposals(d: LifeDraft): void {
  cancel(d, [...waiting(d.life), ...queued(d.life)]);
}

/** The run has ended: whoever decided is not to wait for news that an ended run does not take in. */
export function cancelTakingEffect(d: LifeDraft): void {
  cancel(
    d,
    d.life.proposals.filter(({ isApplied }) => isApplied),
  );
}

function cancel(d: LifeDraft, proposals: readonly RunProposal[]): void {
  for (const one of proposals) stands(d, { ...one, decision: cancelled(d), isQueued: false });
}

export function cancelled({ env }: LifeDraft): ProposalDecision {
  return { status: 'cancelled', by: 'bot-bottle', at: env.now, ref: null, notesRef: null };
}

export function replace(life: Life, one: RunProposal): void {
  life.proposals = life.proposals.map((known) => (known.id === one.id ? one : known));
}
