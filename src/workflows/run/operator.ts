/** What an operator asks for, of one run or, by a pause of new turns, of all. */
import type { OperatorCommand } from '../../domain/run/events.js';
import type { TurnCause } from '../../domain/run/turn.js';
import { isOperatorName, NO_OPERATOR_NAME, UNKNOWN_OPERATOR } from '../../domain/forge/operator-name.js';
import { overBudget, raise, raiseRefusal } from './budget.js';
import { freeze, note, record, type LifeDraft } from './draft.js';
import { leaveHost, moveRefusal } from './host.js';
import { close } from './life.js';
import { onForge } from './reads-of-forge.js';
import { stopTurn } from './running.js';
import { livingOf, operatorsDoneId, phaseOf } from './phase.js';
import type { IssueState, Life } from './state.js';
import { beginWhenFree, promptThatWaits } from './turn.js';

const MAX_EXTEND_MS = 24 * 3_600_000;

/** @param at epoch milliseconds */
export function command(d: LifeDraft, asked: OperatorCommand, at: number): void {
  const { s, life, commands } = d;
  if (refusalOf(s, asked) !== null) return;
  note(d, `operator: ${asked.kind}`);
  const { kind, by: who = UNKNOWN_OPERATOR, ...detail } = asked;
  const { slug, turn, stage } = life;
  commands.push({ kind: 'record_command', act: { at, who, kind, detail, slug } });
  switch (asked.kind) {
    case 'freeze':
      if (stage.kind === 'running') return stopTurn(d, 'operator');
      if (stage.kind === 'preparing') return void (turn.stop = 'operator');
      freeze(d, 'paused');
      life.detail = null;
      return record(d);
    case 'resume':
      life.withheld = null;
      life.nudges = 0;
      return beginWhenFree(d, causeOf(asked, life));
    case 'destroy':
      return close(d, { at: onForge(s, at), why: 'destroyed by the operator' });
    case 'extend':
      return void (turn.extendedMs += asked.ms);
    case 'budget':
      raise(life, asked);
      return goOn(d, asked.dayEnds !== null);
    case 'done':
      stopTurn(d, 'operator');
      return void (turn.done ??= {
        id: operatorsDoneId(turn.number),
        status: asked.status,
        summaryRef: '',
      });
    case 'move':
      return leaveHost(d);
  }
}

function causeOf({ promptRef }: Extract<OperatorCommand, { kind: 'resume' }>, life: Life): TurnCause {
  const waits = promptRef === null ? promptThatWaits(life) : undefined;
  return waits ?? { kind: 'operator', promptRef };
}

/** What waits for its budget begins, when there is enough of it now. */
function goOn(d: LifeDraft, dayIsLifted: boolean): void {
  const { s, life } = d;
  const { stage, budget } = life;
  if (stage.kind !== 'frozen' || stage.reason !== 'budget') return;
  if (overBudget(budget, s.policy.budget) !== null) return;
  // Of a day that is spent only the day's end, or the operator's word for it, makes more.
  if (stage.resumeAt !== null && !dayIsLifted) return;
  beginWhenFree(d, stage.deferred?.cause ?? { kind: 'operator', promptRef: null });
}

/** Why a command cannot apply now, or `null`. The update's validator: a refused command leaves no trace in history. */
export function refusalOf(s: IssueState, asked: OperatorCommand): string | null {
  const life = livingOf(s);
  if (life === null) return 'there is no run: it ended, or has not begun';
  if (life.closing !== null) return 'the run is being destroyed';
  if (asked.by !== undefined && !isOperatorName(asked.by)) return NO_OPERATOR_NAME;
  const phase = phaseOf(s);
  switch (asked.kind) {
    case 'freeze':
      if (isPausedAlready(life)) return 'the run is already paused';
      return phase === 'freezing' ? 'the run is freezing already' : null;
    case 'budget':
      return raiseRefusal(asked);
    case 'resume':
      return resumeRefusal(s, life);
    case 'destroy':
      return null;
    case 'extend':
      if (!Number.isSafeInteger(asked.ms) || asked.ms <= 0 || asked.ms > MAX_EXTEND_MS)
        return 'extend takes up to 24 h';
      return phase === 'running' ? null : `no turn is running (${phase})`;
    case 'done':
      return phase === 'running' ? null : `no turn is running (${phase})`;
    case 'move':
      return moveRefusal(life);
  }
}

/** One that goes on by itself, or waits for `unpause`, may be told to wait for longer. */
function isPausedAlready({ stage }: Life): boolean {
  if (stage.kind !== 'frozen' || stage.reason !== 'paused' || stage.held) return false;
  return stage.afterArchive === null && stage.resumeAt === null;
}

function resumeRefusal(s: IssueState, { stage, budget, detail }: Life): string | null {
  if (stage.kind !== 'frozen') return `a turn is under way (${phaseOf(s)}): freeze it first, or wait`;
  if (stage.held) return detail ?? 'new turns are paused: bot-bottle unpause';
  const over = overBudget(budget, s.policy.budget);
  if (over !== null) return `${over}: raise it with bot-bottle signal <run> budget`;
  return stage.afterArchive === null ? null : 'a turn is about to begin: freeze it first, or wait';
}

/** Paused while a turn of this run is on its way: one whose agent was seen to start is under way. */
export function paused(d: LifeDraft, reason: string): void {
  const { closing, turn, stage } = d.life;
  turn.pauseLifted = false;
  if (closing !== null || turn.stop !== null) return;
  if (stage.kind === 'preparing') turn.stop = 'pause';
  else if (stage.kind === 'running' && !stage.begun) stopTurn(d, 'pause');
  else return;
  turn.pauseReason = reason;
}

/** What was held back begins. The word may be here before the news that there is something to hold back. */
export function unpaused(d: LifeDraft): void {
  const { closing, turn, stage } = d.life;
  if (closing !== null) return;
  turn.pauseLifted = true;
  if (stage.kind === 'preparing' && turn.stop === 'pause') turn.stop = null;
  if (stage.kind !== 'frozen' || !stage.held) return;
  beginWhenFree(d, stage.deferred?.cause ?? { kind: 'operator', promptRef: null });
}
