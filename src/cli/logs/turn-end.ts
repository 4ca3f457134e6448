import type { TurnRow } from '../../domain/run/rows.js';
import type { TurnResult } from '../../domain/run/turn.js';
import type { TurnEnd } from '../base/run-logs.js';

/** What our own worker wrote into the row; one of an earlier version may have written less. */
type Written = Partial<Pick<TurnResult, 'exitCode' | 'done' | 'stopped' | 'agent' | 'model'>> & {
  readonly reason?: string | null;
};

export function turnEndOf({ at, detail }: TurnRow): TurnEnd {
  const { exitCode, reason, done, stopped, agent, model } = detail as Written;
  return {
    at,
    exitCode: exitCode ?? null,
    reason: reason ?? null,
    outcome: agent?.outcome ?? null,
    done: done?.status ?? null,
    stopped: stopped ?? null,
    reported: agent?.reported ?? null,
    metered: model?.use ?? null,
  };
}
