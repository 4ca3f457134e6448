/** A provider that does not answer for a while: the run sleeps, durably, and goes on in the same session. */
import type { ModelTrouble } from '../../domain/run/model-use.js';
import type { TurnResult } from '../../domain/run/turn.js';
import { freeze, note, type LifeDraft } from './draft.js';
import type { Life } from './state.js';

/** An overloaded provider is tried again this often, each time later. Milliseconds. */
const RETRY_AFTER_MS = [60_000, 300_000] as const;

/** What the turn's end says of the provider; `null` when it was not held up by it. */
export function holdUpOf({ turn }: Life, result: TurnResult): 'limited' | 'overloaded' | 'refused' | null {
  const stopped = result.stopped ?? turn.stop;
  // Whoever waits in vain for an answer is stopped for it in the end.
  if (stopped !== null && stopped !== 'watchdog' && stopped !== 'timeout') return null;
  const trouble = result.model?.trouble ?? null;
  if (trouble?.kind === 'limited') return 'limited';
  // A CLI that had another try, or could do without that answer, was not held up.
  if (trouble?.kind === 'overloaded' && result.agent.outcome !== 'finished') return 'overloaded';
  return trouble?.kind === 'refused' && result.agent.outcome === 'provider' ? 'refused' : null;
}

/** For people, where the run does not go on by itself. */
export function troubleTold(life: Life, result: TurnResult): string | null {
  const heldUp = holdUpOf(life, result);
  return heldUp === 'overloaded' || heldUp === 'refused' ? silenceOf(result.model?.trouble) : null;
}

export function mayRetry({ retries }: Life): boolean {
  return retries < RETRY_AFTER_MS.length;
}

/** Freezes until the provider answers again, as far as one knows. */
export function sleepOut(d: LifeDraft, result: TurnResult): void {
  const { s, life, env } = d;
  const trouble = result.model?.trouble;
  const isLimit = trouble?.kind === 'limited';
  const until = isLimit ? trouble.until : env.now + (RETRY_AFTER_MS[life.retries] ?? 0);
  const at = new Date(until).toISOString();
  const what = isLimit
    ? `the provider's usage limit is reached until ${at}`
    : `${silenceOf(trouble)}: tried again at ${at}`;
  if (!isLimit) life.retries += 1;
  note(d, what);
  freeze(d, 'limited');
  const waitsForOperator = isLimit && !s.policy.resumeLimited;
  life.detail = waitsForOperator ? `${what}; the operator has to resume the run` : what;
  if (!waitsForOperator) wakeAt(d, until);
}

/** An address that cannot be reached is not the provider's doing. */
function silenceOf(trouble: ModelTrouble | null | undefined): string {
  if (trouble?.kind === 'refused')
    return `the provider refuses with HTTP ${String(trouble.status)}, as the log says`;
  if (trouble?.kind !== 'overloaded' || trouble.status === 0)
    return 'the provider cannot be reached, as the log says';
  return `the provider answers with HTTP ${String(trouble.status)}`;
}

/** A frozen run goes on by itself. @param at epoch milliseconds */
export function wakeAt({ life: { stage }, commands }: LifeDraft, at: number): void {
  if (stage.kind !== 'frozen') return;
  stage.resumeAt = at;
  commands.push({ kind: 'arm_resume', at });
}
