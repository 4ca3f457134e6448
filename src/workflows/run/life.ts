/** What the forge tells of a run: it begins, loses and regains its trigger, hears of people, and is closed. */
import type { MachineEvent, Observed, Trigger } from '../../domain/run/events.js';
import type { Withheld } from '../../domain/run/turn.js';
import type { Place } from '../../domain/forge/issue.js';
import { operatorOrUnknown } from '../../domain/forge/operator-name.js';
import { makeSlug } from '../../domain/run/slug.js';
import { FORGE_CLOCK_GRAIN_MS, isLaterAct } from '../../domain/forge/trigger.js';
import { freeze, note, record, stopSleeping, type Draft, type LifeDraft } from './draft.js';
import { destroy } from './end.js';
import { receive, receiveForNext } from './mailbox.js';
import { absorbObserved, absorbOpened, absorbPlace, closingOf } from './reads-of-forge.js';
import { cancelProposals } from './supervise/stand.js';
import { stopTurn } from './running.js';
import { isBusy, isWithheld, livingOf } from './phase.js';
import { newLife } from './beginnings.js';
import type { Closing, Life } from './state.js';
import { askForTurn, beginTurn, retriggered, wakeIfAny } from './turn.js';

export function observed(d: Draft, event: Observed): void {
  if (isForeign(d, event.place)) return;
  const fresh = absorbObserved(d.s, event, d.env.now);
  const { trigger } = event;
  // By the trigger that the life had: one later than the close is the next life's. Another agent's ends this one anyway.
  if (livingOf(d.s)?.trigger.agent === trigger?.agent) closeIfSeen(d, event, fresh);
  if (trigger !== null && fresh) triggered(d, trigger);
  closeIfSeen(d, event, fresh);
  const life = livingOf(d.s);
  if (life === null || life.closing !== null || !fresh) return;
  // What the operator started needs no trigger.
  const isWanted = event.triggered || life.trigger.operator !== undefined;
  if (!isWanted) withhold({ ...d, life }, 'untriggered', 'unassigned or unlabelled');
  else if (life.withheld === 'unserved') release({ ...d, life }, false);
}

/** The read says that what the run was for is over. */
function closeIfSeen(d: Draft, event: Observed, fresh: boolean): void {
  const life = livingOf(d.s);
  if (life === null || life.closing !== null) return;
  const closing = closingOf(life, event, fresh);
  if (closing !== null) close({ ...d, life }, closing);
}

/** The publish gate has opened a pull request, or found it open. */
export function opened(d: LifeDraft, pr: number): void {
  const closing = absorbOpened(d.life, pr);
  if (closing !== null) close(d, closing);
}

function triggered(d: Draft, trigger: Trigger): void {
  const { s } = d;
  const life = livingOf(s);
  if (life?.stage.kind === 'preparing' && trigger.agent === life.trigger.agent) life.stage.confirmed = true;
  const waiting = s.life === null ? null : s.pendingTrigger;
  if (!isLaterAct(trigger, waiting ?? s.lastTrigger)) return;
  // Not later than the end of a life, as far as the forge's clock can tell.
  const endedAt = life === null ? s.endedAt : (life.closing?.at ?? 0);
  if (trigger.actAt + FORGE_CLOCK_GRAIN_MS <= endedAt) return;
  if (s.life === null) return beginLife(d, trigger);
  // Never lost: the fresh life begins when this one has ended.
  if (life?.closing !== null) return void (s.pendingTrigger = trigger);
  if (trigger.agent !== life.trigger.agent) {
    s.pendingTrigger = trigger;
    // A life is one agent's. What its pull request holds stays; the next agent's prompt names it.
    return close({ ...d, life }, { at: trigger.actAt - 1, why: `${trigger.agent} was asked for instead` });
  }
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  // What a life works on is what it began with.
  life.trigger = { ...trigger, pull: life.trigger.pull };
  release({ ...d, life }, true);
}

/** What kept the run from its turns is over. @param asked by somebody who wants it to go on, paused or not */
function release(d: LifeDraft, asked: boolean): void {
  const { life } = d;
  const { stage } = life;
  const rests = stage.kind === 'frozen' && isWithheld(stage.reason) ? stage : null;
  if (rests === null && !isBusy(life)) return;
  life.withheld = null;
  if (rests?.paused !== undefined && !asked) {
    freeze(d, 'paused');
    life.detail = rests.paused.detail;
    record(d);
  } else if (!isBusy(life)) beginTurn(d, retriggered(life));
}

function beginLife({ s, env, commands }: Draft, trigger: Trigger): void {
  const { named } = s;
  const slug = named?.agent === trigger.agent ? named.slug : makeSlug(trigger.agent, s.subject, env.random);
  s.named = null;
  s.lastTrigger = { actAt: trigger.actAt, actId: trigger.actId };
  s.pendingTrigger = null;
  const life = newLife(slug, trigger);
  life.mailbox = { waiting: s.pendingReferences, omitted: 0 };
  s.pendingReferences = [];
  s.life = life;
  const d: LifeDraft = { s, env, commands, life };
  note(d, `triggered by ${trigger.operator === undefined ? trigger.actor : 'the operator'}`);
  if (trigger.operator !== undefined) recordStart(d, trigger, trigger.operator);
  askForTurn(d);
}

function recordStart(
  { env, life: { slug }, commands }: LifeDraft,
  { agent, bottles, pull }: Trigger,
  { by, promptRef }: NonNullable<Trigger['operator']>,
): void {
  const detail = { agent, bottles, pull, promptRef };
  commands.push({
    kind: 'record_command',
    act: { at: env.now, who: operatorOrUnknown(by), kind: 'start', detail, slug },
  });
}

/** Ends the turn that runs, and lets none begin. @param said for people */
export function withhold(d: LifeDraft, why: Withheld, said: string): void {
  const { life } = d;
  if (life.withheld === why || life.closing !== null) return;
  life.withheld = why;
  note(d, said);
  stopTurn(d, why);
  if (life.stage.kind !== 'frozen') return;
  freeze(d, why);
  life.detail = why === 'unserved' ? said : null;
  record(d);
}

/** The run is to end: what is under way is called off, and nothing new begins. */
export function close(d: LifeDraft, closing: Closing): void {
  const { life, commands } = d;
  if (life.closing !== null) return;
  life.closing = closing;
  note(d, closing.why);
  cancelProposals(d);
  stopSleeping(d);
  const isResting = !isBusy(life);
  stopTurn(d, 'closed');
  // Beside a run that rests there may be something, too: an image that is built takes an hour.
  commands.push({ kind: 'end_step' });
  if (isResting) destroy(d);
}

export function references(d: LifeDraft, event: Extract<MachineEvent, { kind: 'references' }>): void {
  const { s, life } = d;
  if (isForeign(d, event.place)) return;
  if (life.closing !== null) return receiveForNext(s, event.references, event.withdrawn);
  if (receive(s, life, event.references, event.withdrawn)) wakeIfAny(d);
}

/** True for another repository that took the name of the run's. Follows its own to where that is now. */
function isForeign(d: Draft, place: Place): boolean {
  const moved = absorbPlace(d.s, place);
  const life: Life | null = livingOf(d.s);
  if (moved === 'moved' && life !== null) {
    note({ ...d, life }, `the repository is ${place.owner}/${place.repo} now`);
    record({ ...d, life });
  }
  return moved === 'foreign';
}
