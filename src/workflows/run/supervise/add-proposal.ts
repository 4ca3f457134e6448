/** What waits for an operator from now on. Pure. */
import { note, type LifeDraft } from '../draft.js';
import { shortProposalId } from '../../../domain/supervise/proposal.js';
import { runRef } from '../inputs.js';
import { waiting } from './proposals-read.js';
import type { RunProposal } from '../state.js';
import type { Offer } from '../../../domain/supervise/offer.js';

/** Most that are remembered; those that wait are among them. */
const MAX_KEPT = 64;
/** Most hosts that are offered at once: an agent may try any number. */
const MAX_OFFERED = 3;
const OFFERED_BY = 'pipelock-block';

/** @param at epoch milliseconds */
export function addProposal({ s, life, commands }: LifeDraft, one: RunProposal, at: number): void {
  const over = Math.max(0, life.proposals.length + 1 - MAX_KEPT);
  const forgotten = new Set(life.proposals.filter(({ told }) => told).slice(0, over));
  life.proposals = [...life.proposals.filter((each) => !forgotten.has(each)), one];
  const { id, tool, ref, turn, isOffer } = one;
  const origin = isOffer === true ? 'refusal' : 'agent';
  commands.push({
    kind: 'record_proposal',
    input: { ...runRef(s, life), proposal: { id, tool, ref, turn, at, origin } },
  });
}

/** Hosts that were refused to the turn that ended: what was offered before stays as it is. */
export function offerHosts(d: LifeDraft, offers: readonly Offer[]): void {
  const { life, env } = d;
  if (life.closing !== null) return;
  const room = MAX_OFFERED - waiting(life).filter(({ isOffer }) => isOffer === true).length;
  const isKnown = (id: string): boolean => life.proposals.some((each) => each.id === id);
  for (const { id, ref } of offers.filter((offer) => !isKnown(offer.id)).slice(0, Math.max(0, room))) {
    const { number: turn } = life.turn;
    const waits = { decision: null, isApplied: false, told: false } as const;
    addProposal(d, { id, tool: OFFERED_BY, ref, turn, heldUntil: 0, ...waits, isOffer: true }, env.now);
    note(d, `a host was refused to the agent: offered as ${OFFERED_BY} ${shortProposalId(id)}`);
  }
}
