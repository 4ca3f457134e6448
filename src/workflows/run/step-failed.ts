/** A step of the run failed for good, or was called off. */
import type { InnerEvent } from '../../domain/run/events.js';
import { note, type LifeDraft } from './draft.js';
import { destroyed } from './end.js';
import { isBetweenHosts } from './host.js';
import { isCalledOff, launchWhenReady } from './preparing.js';
import { disarmWatchdog } from './running.js';
import { unsettled, unwatched } from './settling.js';
import type { Stage } from './state.js';
import { abandonTurn, beginAgain, holdBack, wakeIfAny } from './turn.js';

type StepFailed = Extract<InnerEvent, { kind: 'step_failed' }>;

const STAGE_OF: Readonly<Record<StepFailed['step'], Stage['kind']>> = {
  claim: 'preparing',
  prepare: 'preparing',
  run: 'running',
  settle: 'settling',
  destroy: 'destroying',
};

export function stepFailed(d: LifeDraft, { step, reason }: StepFailed): void {
  const { stage } = d.life;
  if (stage.kind !== STAGE_OF[step]) return;
  note(d, reason === '' ? `${step} called off` : `${step} failed: ${reason}`);
  switch (stage.kind) {
    case 'preparing':
      // Of a run that was moved nothing is prepared before it has a host.
      if (step !== 'claim' || isBetweenHosts(d.life)) return notRun(d, reason);
      // What prepares the turn is still under way, and only one thing at a time may be.
      stage.claimFailure = reason;
      return launchWhenReady(d, stage);
    case 'running':
      disarmWatchdog(d, stage);
      if (stage.begun) unwatched(d, reason);
      return notRun(d, reason);
    case 'settling':
      unsettled(d, stage, reason);
      return wakeIfAny(d);
    case 'destroying':
      return destroyed(d);
    default:
      return;
  }
}

function notRun(d: LifeDraft, reason: string): void {
  if (isCalledOff(d)) return;
  const { life } = d;
  const { turn } = life;
  switch (turn.stop) {
    case 'pause':
      return holdBack(d);
    case 'untriggered':
    case 'unserved':
    case 'history':
      // Stopped before it began, for what is not so any more, or not in the next execution.
      return beginAgain(d, turn.stop);
    default:
      abandonTurn(d, 'failed');
      life.detail = reason;
  }
}
