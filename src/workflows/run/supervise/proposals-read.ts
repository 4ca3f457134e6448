/** What stands of an agent's proposals in the state of its run. Pure. */
import type { DecidedInTurn } from '../../../domain/run/turn.js';
import type { IssueState, Life, RunProposal } from '../state.js';

export function proposalIn({ life }: Pick<IssueState, 'life'>, id: string): RunProposal | undefined {
  return life?.proposals.find((one) => one.id === id);
}

/** Those that wait for an operator. */
export function waiting({ proposals }: Pick<Life, 'proposals'>): readonly RunProposal[] {
  return proposals.filter(({ decision }) => decision === null);
}

/** Those of them that the agent made itself. */
export function asked(life: Pick<Life, 'proposals'>): readonly RunProposal[] {
  return waiting(life).filter(({ isOffer }) => isOffer !== true);
}

/** Those that were decided, and take effect after the one that does now; the first decided first. */
export function queued({ proposals }: Pick<Life, 'proposals'>): readonly RunProposal[] {
  return proposals
    .filter(({ isQueued }) => isQueued === true)
    .toSorted((a, b) => (a.decision?.at ?? 0) - (b.decision?.at ?? 0));
}

/** `undefined` where nothing waits, or one is taking effect. A new image does not: no file of the bottle changes by it. */
export function nextToApply(life: Pick<Life, 'proposals'>): RunProposal | undefined {
  const isBusy = life.proposals.some(
    ({ tool, isApplied, isQueued }) => isApplied && isQueued !== true && tool !== 'capability-block',
  );
  return isBusy ? undefined : queued(life)[0];
}

/** What was decided, and the agent has not heard of. */
export function untold({ proposals }: Pick<Life, 'proposals'>): readonly DecidedInTurn[] {
  return proposals.flatMap(({ id, tool, decision, isApplied, told, isOffer }) => {
    if (told || isApplied || decision === null || decision.status === 'cancelled') return [];
    return [
      {
        id,
        tool,
        status: decision.status,
        notesRef: decision.notesRef,
        ...(isOffer === true && decision.ref !== null && { offerRef: decision.ref }),
      },
    ];
  });
}

export function withTold(
  { proposals }: Pick<Life, 'proposals'>,
  ids: readonly string[],
): readonly RunProposal[] {
  return proposals.map((one) => (ids.includes(one.id) ? { ...one, told: true } : one));
}
