/** How proposals are spoken of, wherever people are shown them. Pure; what is an agent's is not escaped here. */
import { isoTimeOf } from '../../domain/base/iso-time.js';
import type { ProposalDecisionRow, ProposalOrigin } from '../../domain/run/rows.js';

export const TAKES_EFFECT = {
  now: 'in effect now',
  next_turn: 'in effect from the next turn on',
  none: 'nothing changes',
} as const;

/** Above the words that come with a proposal. */
export const WHO_SAYS: Readonly<Record<ProposalOrigin, string>> = {
  agent: 'the agent says',
  refusal: 'bot-bottle says',
};

/** Above the words that come with a decision: those of a build are its output, which nobody has written to be read. */
export function notesTitle({ status }: Pick<ProposalDecisionRow, 'status'>): string {
  return status === 'failed' ? 'why it could not be built' : 'notes of the operator';
}

export function stateText(decision: ProposalDecisionRow | null): string {
  if (decision === null) return 'waits';
  return `${decision.status} by ${decision.who}, ${isoTimeOf(decision.at) ?? 'at no valid time'}`;
}

/** The first of several effects. @param most characters of it */
export function firstEffect([first = '', ...others]: readonly string[], most: number): string {
  const points = Array.from(first);
  const cut = points.length > most ? `${points.slice(0, most - 1).join('')}…` : first;
  return others.length === 0 ? cut : `${cut} (and ${String(others.length)} more)`;
}
