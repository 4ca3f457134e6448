/** What an operator asks for. */
import type { OperatorCommand } from '../domain/events.js';
import { isOperatorName, UNKNOWN_OPERATOR } from '../domain/operator-name.js';
import type { OperatorCommandRow } from '../domain/rows.js';
import { overBudget, raise, raiseRefusal } from './machine-budget.js';
import { freeze, note, type Draft } from './machine-draft.js';
import { close } from './machine-life.js';
import type { MachineState } from './machine-state.js';
import { beginTurn, stopTurn } from './machine-turn.js';

const MAX_EXTEND_MS = 24 * 3_600_000;

export function command(d: Draft, asked: OperatorCommand, at: number): void {
  const { s } = d;
  if (refusalOf(s, asked) !== null) return;
  note(d, `operator: ${asked.kind}`);
  const { kind, by: who = UNKNOWN_OPERATOR } = asked;
  const slug = s.life?.slug ?? null;
  d.commands.push({ kind: 'record_command', act: { at, who, kind, detail: detailOf(asked), slug } });
  switch (asked.kind) {
    case 'freeze':
      if (s.busy === 'run') return stopTurn(d, 'operator');
      if (s.busy === 'prepare') return void (s.stopRequested = 'operator');
      freeze(d, 'paused');
      return void d.commands.push({ kind: 'record_state' });
    case 'resume':
      s.untriggered = false;
      s.nudgesUsed = 0;
      if (s.busy === 'archive')
        return void (s.afterArchive = { kind: 'operator', promptRef: asked.promptRef });
      return beginTurn(d, { kind: 'operator', promptRef: asked.promptRef });
    case 'destroy':
      return close(d, { at, why: 'destroyed by the operator' });
    case 'extend':
      return void (s.extendedMs += asked.ms);
    case 'budget':
      raise(d, asked);
      return goOn(d, asked.dayEnds !== null);
    case 'done':
      s.done ??= { id: `operator-${String(s.turn)}`, status: asked.status, summaryRef: '' };
      return stopTurn(d, 'operator');
  }
}

/** By name: what else the sender wrote stays out of the row. */
function detailOf(asked: OperatorCommand): OperatorCommandRow['detail'] {
  switch (asked.kind) {
    case 'freeze':
    case 'destroy':
      return {};
    case 'resume':
      return { promptRef: asked.promptRef };
    case 'extend':
      return { ms: asked.ms };
    case 'budget': {
      const { turns, tokens, microUsd, dayEnds } = asked;
      return { turns, tokens, microUsd, dayEnds };
    }
    case 'done':
      return { status: asked.status };
  }
}

/** What waits for its budget begins, when there is enough of it now. */
function goOn(d: Draft, dayIsLifted: boolean): void {
  const { s } = d;
  if (s.phase !== 'frozen' || s.frozenReason !== 'budget' || overBudget(s) !== null) return;
  // Of a day that is spent only the day's end, or the operator's word for it, makes more.
  if (s.resumeAt !== null && !dayIsLifted) return;
  const cause = s.deferred ?? { kind: 'operator' as const, promptRef: null };
  if (s.busy === 'archive') s.afterArchive = cause;
  else beginTurn(d, cause);
}

/** Why a command cannot apply now, or `null`. The update's validator: a refused command leaves no trace in history. */
export function refusalOf(s: MachineState, asked: OperatorCommand): string | null {
  if (s.life === null) return 'there is no run: it ended, or has not begun';
  if (s.closing !== null) return 'the run is being destroyed';
  if (asked.by !== undefined && !isOperatorName(asked.by))
    return '"by" must be one word of at most 128 characters, such as user@host';
  switch (asked.kind) {
    case 'freeze':
      // One that waits for `unpause` may be told to wait for longer.
      if (s.frozenReason === 'paused' && s.phase === 'frozen' && !s.afterArchive && s.held !== true)
        return 'the run is already paused';
      return s.phase === 'freezing' ? 'the run is freezing already' : null;
    case 'budget':
      return raiseRefusal(asked);
    case 'resume':
      if (s.phase === 'frozen' && s.held === true)
        return s.detail ?? 'new turns are paused: bot-bottle unpause';
      if (s.phase === 'frozen' && overBudget(s) !== null)
        return `${overBudget(s) ?? ''}: raise it with bot-bottle signal <run> budget`;
      if (s.afterArchive) return 'a turn is about to begin: freeze it first, or wait';
      return s.phase === 'frozen' ? null : `a turn is under way (${s.phase}): freeze it first, or wait`;
    case 'destroy':
      return null;
    case 'extend':
      if (!Number.isSafeInteger(asked.ms) || asked.ms <= 0 || asked.ms > MAX_EXTEND_MS)
        return 'extend takes up to 24 h';
      return s.phase === 'running' ? null : `no turn is running (${s.phase})`;
    case 'done':
      return s.phase === 'running' ? null : `no turn is running (${s.phase})`;
  }
}
