/** A provider that does not answer for a while: the run sleeps, durably, and goes on in the same session. */
import type { InnerEvent } from '../domain/events.js';
import type { TurnResult } from '../domain/turn.js';
import { freeze, note, type Draft } from './machine-draft.js';
import type { MachineState } from './machine-state.js';

/** An overloaded provider is tried again this often, each time later. Milliseconds. */
const RETRY_AFTER_MS = [60_000, 300_000] as const;

/** What the turn's end says of the provider; `null` when it was not held up by it. */
export function holdUpOf(s: MachineState, result: TurnResult): 'limited' | 'overloaded' | null {
  const stopped = result.stopped ?? s.stopRequested;
  // Whoever waits in vain for an answer is stopped for it in the end.
  if (stopped !== null && stopped !== 'watchdog' && stopped !== 'timeout') return null;
  const trouble = result.model?.trouble ?? null;
  if (trouble?.kind === 'limited') return 'limited';
  // A CLI that had another try, or could do without that answer, was not held up.
  return trouble?.kind === 'overloaded' && result.agent.outcome !== 'finished' ? 'overloaded' : null;
}

export function mayRetry({ retries }: MachineState): boolean {
  return retries < RETRY_AFTER_MS.length;
}

/** Freezes until the provider answers again, as far as one knows. */
export function sleepOut(d: Draft, result: TurnResult): void {
  const { s, env } = d;
  const trouble = result.model?.trouble;
  const isLimit = trouble?.kind === 'limited';
  const until = isLimit ? trouble.until : env.now + (RETRY_AFTER_MS[s.retries] ?? 0);
  const at = new Date(until).toISOString();
  s.detail = isLimit
    ? `the provider's usage limit is reached until ${at}`
    : `the provider is overloaded: tried again at ${at}`;
  if (!isLimit) s.retries += 1;
  note(d, s.detail);
  freeze(d, 'limited');
  if (isLimit && !s.policy.resumeLimited) {
    s.detail += '; the operator has to resume the run';
    return;
  }
  wakeAt(d, until);
}

export function wakeAt(d: Draft, at: number): void {
  d.s.resumeAt = at;
  d.commands.push({ kind: 'arm_resume', at });
}

/** True when the time has come that this run waits for. */
export function isDue(s: MachineState, { at }: Extract<InnerEvent, { kind: 'resume_due' }>): boolean {
  return s.resumeAt === at && s.phase === 'frozen' && s.closing === null;
}
