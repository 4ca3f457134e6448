/** What an agent proposes, what operators say to it, and how that takes effect [S2]. Pure. */
import { isBlobRef } from '../../../domain/base/blob-ref.js';
import type { InnerEvent } from '../../../domain/run/events.js';
import { isProposalTool, shortProposalId } from '../../../domain/supervise/proposal.js';
import { isOperatorName, NO_OPERATOR_NAME } from '../../../domain/forge/operator-name.js';
import type { ProposalOutcome, ProposeRequest } from '../../../domain/run/run-channel.js';
import { note, type LifeDraft } from '../draft.js';
import { stopTurn } from '../running.js';
import { changesInput } from '../inputs.js';
import { livingOf } from '../phase.js';
import { addProposal } from './add-proposal.js';
import { asked, nextToApply, proposalIn, withTold } from './proposals-read.js';
import { cancelled, replace, stands } from './stand.js';
import type { IssueState, Life, ProposalDecision, Running, RunProposal } from '../state.js';
import type { DecideRequest } from '../../../domain/supervise/decision.js';

/** Most that wait at once: an operator reads each of them. */
const MAX_WAITING = 8;
/** Most changes of a run. More belong into its bottle's manifest. */
const MAX_CHANGES = 64;

const ID = /^[0-9a-f]{32}$/;
const VERDICTS: readonly string[] = ['approve', 'modify', 'reject'];

function isBlobOrNull(value: unknown): boolean {
  return value === null || isBlobRef(value);
}

type Of<K extends InnerEvent['kind']> = Extract<InnerEvent, { kind: K }>;

/** Why the agent of a turn cannot propose that, or `null`. */
export function proposalRefusal(s: IssueState, request: ProposeRequest): string | null {
  const { slug, turn, id, tool, ref } = request;
  // Anybody with Temporal's page can send anything.
  // A pattern takes the text of whatever it is given, such as a list.
  const isId = typeof id === 'string' && ID.test(id);
  if (!isId || !isProposalTool(tool) || !isBlobRef(ref)) return 'it is no proposal';
  const life = livingOf(s);
  if (life?.slug !== slug || life.turn.number !== turn || life.closing !== null) return 'this turn is over';
  if (proposalIn(s, id) !== undefined) return null;
  if (life.stage.kind !== 'running') return 'this turn is over';
  return asked(life).length < MAX_WAITING
    ? null
    : `${String(MAX_WAITING)} proposals wait for the operator already: go on without, or end the turn`;
}

/** Why an operator cannot decide that, or `null`. */
export function decisionRefusal(s: IssueState, asked: DecideRequest): string | null {
  if (!VERDICTS.includes(asked.verdict) || !isBlobOrNull(asked.modified) || !isBlobOrNull(asked.notesRef))
    return 'it is no decision: see bot-bottle proposals --help';
  const life = livingOf(s);
  if (life === null || life.closing !== null) return 'the run has ended, or is being destroyed';
  const known = proposalIn(s, asked.id);
  if (known === undefined) return 'the run has no such proposal';
  const { decision } = known;
  if (decision !== null)
    return `it was ${decision.status} already, by ${decision.by} at ${new Date(decision.at).toISOString()}`;
  if (known.ref !== asked.shown) return 'it is not what you were shown: look at it again';
  if (asked.by !== undefined && !isOperatorName(asked.by)) return NO_OPERATOR_NAME;
  const mayDiffer = asked.verdict === 'approve' && known.tool === 'capability-block';
  if (!mayDiffer && (asked.verdict === 'modify') !== (asked.modified !== null))
    return 'only "modify" has a file of its own';
  if (asked.verdict !== 'reject' && known.tool === 'capability-block' && life.host === null)
    return 'the run has no host now that could build its image: decide it when one has taken the run';
  if (asked.verdict !== 'reject' && life.changes.length >= MAX_CHANGES)
    return `the run has ${String(MAX_CHANGES)} changes already: put them into its bottle's manifest`;
  return null;
}

/** What the agent's call is answered now. */
export function outcomeOfProposal(s: IssueState, id: string): ProposalOutcome {
  const known = proposalIn(s, id);
  const decision = known?.isApplied === false ? known.decision : null;
  return { id, status: decision?.status ?? 'pending', notesRef: decision?.notesRef ?? null };
}

/** Whether the agent that proposed it may still wait for an answer. */
export function isHeld(s: IssueState, { slug, turn, id }: ProposeRequest): boolean {
  const life = livingOf(s);
  if (life?.slug !== slug || life.turn.number !== turn || life.stage.kind !== 'running') return false;
  return life.turn.stop === null && outcomeOfProposal(s, id).status === 'pending';
}

/** Milliseconds for which its agent is still held for an answer. */
export function holdLeft(s: IssueState, id: string, now: number): number {
  return Math.max(0, (proposalIn(s, id)?.heldUntil ?? 0) - now);
}

/** Whether it was held in that turn for as long as it may be, and nobody has said anything yet: there is no more to answer. */
export function hasBeenHeld(s: IssueState, request: ProposeRequest, now: number): boolean {
  const { id, turn } = request;
  const isOfTurn = proposalIn(s, id)?.turn === turn;
  return isOfTurn && isHeld(s, request) && holdLeft(s, id, now) === 0;
}

export function proposed(d: LifeDraft, { id, tool, ref, turn, at }: Of<'proposed'>): void {
  const { s, life } = d;
  if (life.closing !== null) return;
  const known = proposalIn(s, id);
  // However often it is sent: held anew each time, an agent that sends it again and again would have no limit.
  if (known !== undefined && known.turn >= turn) return;
  const heldUntil = at + s.policy.superviseHoldMs;
  if (known !== undefined) return replace(life, { ...known, turn, heldUntil });
  addProposal(d, { id, tool, ref, turn, heldUntil, decision: null, isApplied: false, told: false }, at);
  note(d, `the agent proposes ${tool} ${shortProposalId(id)}`);
}

export function decided(d: LifeDraft, event: Of<'decided'>): void {
  const { s, life } = d;
  const { id, status, by, at, ref, notesRef } = event;
  const known = proposalIn(s, id);
  if (life.closing !== null || known?.decision !== null) return;
  const decision: ProposalDecision = { status, by, at, ref, notesRef };
  const { host } = life;
  if (ref !== null && known.tool === 'capability-block' && host !== null) {
    note(d, `${known.tool} ${shortProposalId(id)} ${status} by ${by}: its image is being built`);
    return build(d, { ...known, decision, isApplied: true }, host, ref);
  }
  // A try that failed may have got as far as the bottle: then a refusal is a change, too, that takes it back.
  const changesNothing = ref === null && known.isSent !== true;
  if (changesNothing) return stands(d, { ...known, decision });
  replace(life, { ...known, decision, isApplied: true, isQueued: true });
  applyNext(d);
}

/** Beside others: a build takes minutes. */
function build({ s, life, commands }: LifeDraft, one: RunProposal, host: string, ref: string): void {
  replace(life, { ...one, builtOn: life.changes.length });
  commands.push({ kind: 'rebuild_image', host, id: one.id, input: changesInput(s, life, ref) });
}

/** One at a time, each with all that stands by then: the bottle's files are written whole, and one may exclude another. */
function applyNext(d: LifeDraft): void {
  const { s, life, commands } = d;
  const next = nextToApply(life);
  if (next === undefined) return;
  const one = { ...next, isQueued: false };
  const ref = next.decision?.ref ?? null;
  const stage = atWork(life);
  if (stage === null) {
    replace(life, { ...one, isSent: false });
    if (ref === null) return changeApplied(d, one.id);
    return void commands.push({ kind: 'check_change', id: one.id, input: changesInput(s, life, ref) });
  }
  replace(life, { ...one, isSent: true });
  const input = { ...changesInput(s, life, ref), prepared: stage.prepared };
  commands.push({ kind: 'apply_change', host: stage.host, id: one.id, input });
}

/** Where the agent is, if its bottle can take a change in. */
function atWork({ stage, turn }: Life): Running | null {
  return stage.kind === 'running' && stage.begun && turn.stop === null && turn.done === null ? stage : null;
}

/** Of what waits its turn nothing can have come yet. */
function takingEffect({ proposals }: Life, id: string): RunProposal | undefined {
  return proposals.find((one) => one.id === id && one.isApplied && one.isQueued !== true);
}

export function changeApplied(d: LifeDraft, id: string): void {
  const { life } = d;
  const known = takingEffect(life, id);
  if (known === undefined) return;
  const ref = known.decision?.ref ?? null;
  // What was agreed to while it was built is below it in the next turn, where a build that fails is the end of the run.
  if (ref !== null && life.closing === null && life.host !== null && isOutdated(known, life))
    return build(d, known, life.host, ref);
  stands(d, known);
  if (known.tool === 'capability-block' && isWaitedFor(d, known)) stopTurn(d, 'rebuilt');
  applyNext(d);
}

/** Another image was agreed to since its build began. */
function isOutdated({ builtOn }: RunProposal, { changes, proposals }: Life): boolean {
  const since = changes.slice(builtOn ?? changes.length);
  return proposals.some(
    ({ tool, decision }) =>
      tool === 'capability-block' && decision !== null && since.some((ref) => ref === decision.ref),
  );
}

/** The agent does nothing else, so its turn may end for it: one that has gone on comes to the end of its turn by itself. */
function isWaitedFor({ life, env }: LifeDraft, { turn, heldUntil }: RunProposal): boolean {
  return life.stage.kind === 'running' && life.turn.number === turn && env.now < heldUntil;
}

/** The agent hears of it, who can mend its steps best; the old image stays. */
export function buildFailed(d: LifeDraft, id: string, reasonRef: string): void {
  const known = takingEffect(d.life, id);
  if (known === undefined || known.decision === null) return;
  stands(d, { ...known, decision: { ...known.decision, status: 'failed', ref: null, notesRef: reasonRef } });
}

/** It waits as before. */
export function changeFailed(d: LifeDraft, id: string, reason: string): void {
  const { life } = d;
  const known = takingEffect(life, id);
  if (known === undefined) return;
  note(
    d,
    `${known.tool} ${shortProposalId(id)} was ${known.decision?.status ?? 'decided'} and cannot take effect: ${reason}`,
  );
  if (life.closing !== null) return stands(d, { ...known, decision: cancelled(d) });
  replace(life, { ...known, decision: null, isApplied: false });
  applyNext(d);
}

export function proposalTold({ s, life }: LifeDraft, id: string): void {
  const known = proposalIn(s, id);
  // A new image is news of the turn that begins in it.
  if (known?.tool === 'capability-block' && known.decision?.ref !== null) return;
  life.proposals = withTold(life, [id]);
}
