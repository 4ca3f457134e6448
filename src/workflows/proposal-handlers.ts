/** The Updates of the supervise plane [S2]: an agent proposes and waits, an operator decides. */
import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import { shortProposalId } from '../domain/supervise/proposal.js';
import type { MachineEvent } from '../domain/run/events.js';
import { UNKNOWN_OPERATOR } from '../domain/forge/operator-name.js';
import type { ProposalOutcome, ProposeRequest } from '../domain/run/run-channel.js';
import { decideUpdate, PROPOSAL_PENDING, proposeUpdate } from './messages.js';
import { refuseLate } from './read-message.js';
import {
  decisionRefusal,
  hasBeenHeld,
  holdLeft,
  isHeld,
  outcomeOfProposal,
  proposalRefusal,
} from './run/supervise/proposals.js';
import { proposalIn } from './run/supervise/proposals-read.js';
import type { IssueState } from './run/state.js';
import type { DecideRequest, DecisionAccepted } from '../domain/supervise/decision.js';

export interface HandledBy {
  readonly state: () => IssueState;
  /** Resolves when the machine has taken the event in. */
  readonly take: (event: MachineEvent) => Promise<void>;
  /** Told of each that is accepted: an execution may have so many. */
  readonly countUpdate: () => void;
}

const STATUS = { approve: 'approved', modify: 'modified', reject: 'rejected' } as const;

export function handleProposals({ state, take, countUpdate }: HandledBy): void {
  setHandler(proposeUpdate, propose, {
    validator: (request: ProposeRequest) => {
      const refusal = proposalRefusal(state(), request);
      if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, 'ProposalRefused');
      // Nothing of it is in the history, so it may be sent as often as an agent likes.
      if (hasBeenHeld(state(), request, Date.now()))
        throw ApplicationFailure.nonRetryable('nobody has decided it yet', PROPOSAL_PENDING);
    },
  });
  setHandler(decideUpdate, decide, {
    validator: (asked: DecideRequest) => {
      refuseLate(asked, Date.now());
      refuseUnless(asked);
    },
  });

  async function propose(request: ProposeRequest): Promise<ProposalOutcome> {
    countUpdate();
    const { id, tool, ref, turn } = request;
    await take({ kind: 'proposed', id, tool, ref, turn, at: Date.now() });
    const ms = Math.max(1, holdLeft(state(), id, Date.now()));
    await condition(() => !isHeld(state(), request), ms, {
      summary: `proposal ${shortProposalId(id)} waits for the operator`,
    });
    const outcome = outcomeOfProposal(state(), id);
    if (outcome.status !== 'pending') await take({ kind: 'proposal_told', id });
    return outcome;
  }

  async function decide(asked: DecideRequest): Promise<DecisionAccepted> {
    countUpdate();
    // Of two at the same moment the second one hears what the first one said.
    refuseUnless(asked);
    const { id, verdict, shown, modified, notesRef } = asked;
    const status = STATUS[verdict];
    const ref = verdict === 'reject' ? null : (modified ?? shown);
    const by = asked.by ?? UNKNOWN_OPERATOR;
    await take({ kind: 'decided', id, status, by, at: Date.now(), ref, notesRef });
    await condition(() => proposalIn(state(), id)?.isApplied !== true);
    const slug = state().life?.slug ?? '';
    const came = outcomeOfProposal(state(), id);
    if (came.status === 'failed') return { slug, status: 'failed', effect: 'none', whyRef: came.notesRef };
    if (came.status !== status) throw ApplicationFailure.nonRetryable(whyFailed(state(), id), 'ChangeFailed');
    const isForNow = proposalIn(state(), id)?.isSent === true;
    return { slug, status, effect: ref === null ? 'none' : isForNow ? 'now' : 'next_turn' };
  }

  function refuseUnless(asked: DecideRequest): void {
    const refusal = decisionRefusal(state(), asked);
    if (refusal !== null) throw ApplicationFailure.nonRetryable(refusal, 'DecisionRefused');
  }
}

/** The timeline's last word on it, where the run goes on. */
function whyFailed(state: IssueState, id: string): string {
  const ended = 'the run ended before it took effect';
  if (outcomeOfProposal(state, id).status === 'cancelled') return ended;
  const said = state.life?.timeline.findLast(({ what }) => what.includes(shortProposalId(id)));
  return said?.what ?? ended;
}
