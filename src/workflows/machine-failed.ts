/** A step of the run failed for good, or was called off. */
import type { InnerEvent } from '../domain/events.js';
import { note, type Draft } from './machine-draft.js';
import { destroy, destroyed } from './machine-end.js';
import { unsettled } from './machine-settle.js';
import { abandonTurn, beginTurn, holdBack, launchWhenReady } from './machine-turn.js';

export function stepFailed(d: Draft, event: Extract<InnerEvent, { kind: 'step_failed' }>): void {
  const { s } = d;
  const expected = {
    claim: 'prepare',
    prepare: 'prepare',
    run: 'run',
    settle: 'settle',
    destroy: 'destroy',
  } as const;
  if (s.busy !== expected[event.step] || s.turn !== event.turn) return;
  note(d, `${event.step} failed: ${event.reason}`);
  if (event.step === 'claim') {
    // What prepares the turn is still under way, and only one thing at a time may be.
    s.claimFailure = event.reason;
    return launchWhenReady(d);
  }
  if (event.step === 'destroy') return destroyed(d);
  if (event.step === 'settle') return unsettled(d, event.reason);
  if (s.phase === 'running') d.commands.push({ kind: 'disarm_watchdog' });
  if (s.closing !== null) return destroy(d);
  if (s.untriggered) return abandonTurn(d, 'untriggered');
  if (s.stopRequested === 'operator') return abandonTurn(d, 'paused');
  if (s.stopRequested === 'pause') return holdBack(d);
  if (s.stopRequested === 'untriggered' || s.stopRequested === 'history') {
    // Stopped before it began, for what is not so any more.
    abandonTurn(d, s.stopRequested === 'history' ? 'incomplete' : 'untriggered');
    return beginTurn(d, s.cause);
  }
  s.detail = event.reason;
  abandonTurn(d, 'failed');
}
