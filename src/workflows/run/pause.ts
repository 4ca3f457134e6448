/** The operator has paused new turns: what would begin waits, and what is under way goes on to its end. */
import type { LifeDraft } from './draft.js';
import { stopTurn } from './running.js';
import { beginWhenFree } from './turn.js';

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
