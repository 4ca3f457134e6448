/**
 * The whole life of an issue as a pure function: (state, event) -> state and commands. No clock, no randomness, no
 * Temporal: the workflow hands those in and carries the commands out.
 */
import type { InnerEvent, MachineEvent } from '../../domain/run/events.js';
import { isLocal } from '../../domain/forge/issue.js';
import { FROZEN_REASONS } from '../../domain/run/frozen-reasons.js';
import { archive, archiveEnded } from './archive.js';
import { pushedBy } from './checks.js';
import type { MachineCommand } from './commands.js';
import { draftOf, note, type Draft, type LifeDraft, type StepEnv } from './draft.js';
import { destroyed } from './end.js';
import { runRef } from './inputs.js';
import { close, observed, opened, references, withhold } from './life.js';
import { command, paused, unpaused } from './operator.js';
import { receiveForNext } from './mailbox.js';
import { hostBack, hostClaimed, hostSilent } from './host.js';
import { prepareEnded } from './preparing.js';
import {
  buildFailed,
  changeApplied,
  changeFailed,
  decided,
  proposalTold,
  proposed,
} from './supervise/proposals.js';
import { onForge } from './reads-of-forge.js';
import {
  finished,
  heardFrom,
  heldUp,
  lostSight,
  signalledDone,
  started,
  stopTurn,
  watchdogFired,
} from './running.js';
import { settled } from './settling.js';
import { livingOf } from './phase.js';
import type { IssueState, Life } from './state.js';
import { stepFailed } from './step-failed.js';
import { beginWhenFree } from './turn.js';

/** Most answers kept for repetition. */
const MAX_ANSWERS = 50;

export interface Step {
  readonly state: IssueState;
  readonly commands: readonly MachineCommand[];
}

export function step(state: IssueState, event: MachineEvent, env: StepEnv): Step {
  const draft = draftOf(state, env);
  if (event.kind === 'observed') observed(draft, event);
  else if (event.kind === 'settings') draft.s.policy = event.policy;
  else {
    const life = livingOf(draft.s);
    if (life !== null) live({ ...draft, life }, event);
    // Between two lives.
    else if (event.kind === 'references') receiveForNext(draft.s, event.references, event.withdrawn);
  }
  tellFrozen(draft, state, event);
  return { state: draft.s, commands: draft.commands };
}

/** Of what the whole step came to: a run that was woken at once did not freeze for anybody. */
function tellFrozen({ s, commands }: Draft, before: IssueState, event: MachineEvent): void {
  const { life } = s;
  if (life?.stage.kind !== 'frozen' || isLocal(s.subject)) return;
  if (event.kind === 'prepare_ended' && event.outcome.kind === 'nothing_left') return;
  const { reason } = life.stage;
  if (!FROZEN_REASONS[reason].isToldOnForge) return;
  const last = before.life?.stage;
  const isNews = last?.kind !== 'frozen' || last.reason !== reason;
  if (isNews) commands.push({ kind: 'tell_frozen', reason, run: runRef(s, life) });
}

type LifeEvent = Exclude<MachineEvent, { kind: 'observed' | 'settings' }>;

/** What happens to a life that goes on. What is of another turn, life or stage than the current changes nothing. */
function live(d: LifeDraft, event: LifeEvent): void {
  const { life } = d;
  const { stage } = life;
  if (isOfAnother(life, event)) return;
  const running = stage.kind === 'running' ? stage : null;
  switch (event.kind) {
    // from outside, in every stage
    case 'references':
      return references(d, event);
    case 'unserved':
      return withhold(d, 'unserved', event.why);
    case 'lost':
      return close(d, { at: onForge(d.s, event.readAt), why: event.why });
    case 'command':
      return command(d, event.command, event.at);
    case 'paused':
      return paused(d, event.reason);
    case 'unpaused':
      return unpaused(d);
    case 'archive':
      return archive(d);
    case 'published':
      return published(d, event);
    case 'unread':
      return note(d, event.why);
    // what the agent proposes [S2]
    case 'proposed':
      return proposed(d, event);
    case 'decided':
      return decided(d, event);
    case 'change_applied':
      return changeApplied(d, event.id);
    case 'change_failed':
      return changeFailed(d, event.id, event.reason);
    case 'build_failed':
      return buildFailed(d, event.id, event.reasonRef);
    case 'proposal_told':
      return proposalTold(d, event.id);
    // while a turn is prepared
    case 'host_claimed':
      return hostClaimed(d, event);
    case 'host_silent':
    case 'host_back':
      if (stage.kind !== 'running' && stage.kind !== 'settling') return;
      return event.kind === 'host_silent' ? hostSilent(d, stage, event.since) : hostBack(d, stage);
    case 'prepare_ended':
      return stage.kind === 'preparing' ? prepareEnded(d, stage, event.outcome) : undefined;
    // while it runs
    case 'turn_started':
      return running === null ? undefined : started(d, running, event.lost ?? []);
    case 'turn_held_up':
      return running === null ? undefined : heldUp(d, running, event.reason);
    case 'signal_done':
      return running === null ? undefined : signalledDone(d, running, event.done);
    case 'watchdog_fired':
      return running === null ? undefined : watchdogFired(d, running);
    case 'checkin_age':
      return running === null ? undefined : heardFrom(d, running, event.ageMs);
    case 'turn_lost':
      return running === null ? undefined : lostSight(d, running, event.reason);
    case 'turn_finished':
      return running === null ? undefined : finished(d, running, event.result);
    case 'history_full':
      return stopTurn(d, 'history');
    // and after it
    case 'settled':
      if (stage.kind !== 'settling') return;
      if (event.settled.publish.kind === 'published') opened(d, event.settled.publish.pr);
      return settled(d, stage, event.settled);
    case 'step_failed':
      return stepFailed(d, event);
    case 'resume_due':
      if (stage.kind !== 'frozen' || stage.resumeAt !== event.at) return;
      stage.resumeAt = null;
      return beginWhenFree(d, stage.deferred?.cause ?? { kind: 'limit_over' });
    case 'archive_ended':
      return archiveEnded(d, event.failure);
    case 'destroyed':
      return stage.kind === 'destroying' ? destroyed(d) : undefined;
  }
}

/** Of another life or turn. What an agent proposed waits for the operator although its turn is over by now. */
function isOfAnother({ slug, turn }: Life, event: LifeEvent): boolean {
  if ('slug' in event && event.slug !== slug) return true;
  return 'turn' in event && event.kind !== 'proposed' && event.turn !== turn.number;
}

function published(d: LifeDraft, { requestId, result }: Extract<InnerEvent, { kind: 'published' }>): void {
  const { life } = d;
  if (life.answers.some((known) => known.requestId === requestId)) return;
  life.answers = [...life.answers, { requestId, result }].slice(-MAX_ANSWERS);
  life.work = { ...life.work, pushed: pushedBy(result, life.work.pushed) };
  if (result.kind !== 'published') return;
  const { head, pr } = result;
  const before = life.published ?? [];
  if (!before.some((known) => known.head === head && known.pr === pr))
    life.published = [...before, { head, pr }];
  note(d, `published as PR #${String(pr)}`);
  opened(d, pr);
}
