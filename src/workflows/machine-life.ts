/** What the forge tells of a run: it begins, loses and regains its trigger, hears of people, and is closed. */
import type { MachineEvent, Observed, Trigger } from '../domain/events.js';
import type { Place } from '../domain/issue.js';
import { isOperatorName, UNKNOWN_OPERATOR } from '../domain/operator-name.js';
import { makeSlug } from '../domain/slug.js';
import { FORGE_CLOCK_GRAIN_MS, isLaterAct } from '../domain/trigger.js';
import { freeze, note, stopSleeping, type Draft } from './machine-draft.js';
import { destroy } from './machine-end.js';
import { absorbObserved, absorbPlace, closingOf } from './machine-forge.js';
import { receive } from './machine-mailbox.js';
import type { MachineState, OperatorAct } from './machine-state.js';
import { beginTurn, startPreparing, stopTurn, wake } from './machine-turn.js';
import { wakesOn } from './machine-verdict.js';

export function observed(d: Draft, event: Observed): void {
  if (isForeign(d, event.place)) return;
  const fresh = absorbObserved(d.s, event);
  const { trigger } = event;
  if (trigger !== null && fresh) triggered(d, trigger);
  if (d.s.life === null || d.s.busy === 'destroy') return;
  const closing = d.s.closing ?? closingOf(d.s, event, fresh);
  if (closing !== null) return close(d, closing);
  if (fresh && !event.triggered) untrigger(d);
}

function triggered(d: Draft, trigger: Trigger): void {
  const { s } = d;
  if (s.busy === 'prepare' && trigger.agent === s.life?.trigger.agent) s.confirmed = true;
  const waiting = s.phase === 'idle' ? null : s.pendingTrigger;
  if (!isLaterAct(trigger, waiting ?? s.lastTrigger)) return;
  // Not later than the end of a life, as far as the forge's clock can tell.
  const endedAt = s.life === null ? s.endedAt : (s.closing?.at ?? 0);
  if (trigger.actAt + FORGE_CLOCK_GRAIN_MS <= endedAt) return;
  if (s.life === null && s.phase === 'idle') return beginLife(d, trigger);
  if (s.life === null || s.closing !== null) {
    // Never lost: the fresh life begins when this one has ended.
    s.pendingTrigger = trigger;
    return;
  }
  if (trigger.agent !== s.life.trigger.agent) {
    s.pendingTrigger = trigger;
    // A life is one agent's. What its pull request holds stays; the next agent's prompt names it.
    return close(d, { at: trigger.actAt - 1, why: `${trigger.agent} was asked for instead` });
  }
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  s.life = { ...s.life, trigger };
  if (s.busy !== null) {
    s.untriggered = false;
  } else if (s.frozenReason === 'untriggered') {
    s.untriggered = false;
    beginTurn(d, { kind: 'retriggered' });
  }
}

function beginLife(d: Draft, trigger: Trigger): void {
  const { s, env } = d;
  const slug =
    s.named?.agent === trigger.agent ? s.named.slug : makeSlug(trigger.agent, s.subject, env.random);
  // Everything else is as it was made: only an idle workflow begins a life.
  s.named = null;
  s.life = { slug, trigger, startedAt: env.now };
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  s.prs = trigger.pull === null ? [] : [{ number: trigger.pull, open: true, readAt: 0 }];
  s.pendingTrigger = null;
  note(d, `triggered by ${trigger.operator === undefined ? trigger.actor : 'the operator'}`);
  if (trigger.operator !== undefined)
    d.commands.push({ kind: 'record_command', act: startOf(trigger, slug, env.now) });
  startPreparing(d, { kind: 'first' }, 'queued');
}

function startOf({ agent, bottles, pull, operator }: Trigger, slug: string, at: number): OperatorAct {
  const detail = { agent, bottles, pull, promptRef: operator?.promptRef ?? null };
  const who = isOperatorName(operator?.by) ? operator.by : UNKNOWN_OPERATOR;
  return { at, who, kind: 'start', detail, slug };
}

function untrigger(d: Draft): void {
  const { s } = d;
  if (s.untriggered || s.life?.trigger.operator !== undefined) return;
  s.untriggered = true;
  note(d, 'unassigned or unlabelled');
  if (s.busy === 'run') stopTurn(d, 'untriggered');
  else if (s.phase === 'frozen') freeze(d, 'untriggered');
}

export function close(d: Draft, closing: NonNullable<MachineState['closing']>): void {
  const { s } = d;
  if (s.closing !== null) return;
  s.closing = closing;
  note(d, closing.why);
  stopSleeping(d);
  if (s.busy === null) return destroy(d);
  if (s.busy === 'run') stopTurn(d, 'closed');
  d.commands.push({ kind: 'end_step' });
}

export function references(d: Draft, event: Extract<MachineEvent, { kind: 'references' }>): void {
  const { s } = d;
  if (isForeign(d, event.place) || s.life === null || s.closing !== null) return;
  if (!receive(s, event.references, event.withdrawn)) return;
  if (s.phase === 'frozen' && s.busy === null && s.mailbox.length > 0 && wakesOn(s.frozenReason)) wake(d);
}

/** True for another repository that took the name of the run's. Follows its own to where that is now. */
function isForeign(d: Draft, place: Place): boolean {
  const moved = absorbPlace(d.s, place);
  if (moved === 'moved') {
    note(d, `the repository is ${place.owner}/${place.repo} now`);
    d.commands.push({ kind: 'record_state' });
  }
  return moved === 'foreign';
}
