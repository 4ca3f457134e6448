/** How a life ends. */
import { note, stopSleeping, type LifeDraft } from './draft.js';
import { runRef } from './inputs.js';
import { onForge } from './reads-of-forge.js';
import { cancelTakingEffect } from './supervise/stand.js';

export function destroy(d: LifeDraft): void {
  const { s, life, commands } = d;
  stopSleeping(d);
  life.stage = { kind: 'destroying' };
  const input = { ...runRef(s, life), branch: life.work.branch };
  commands.push({ kind: 'destroy', host: life.host, input });
}

/** Everything of the run is gone, or nobody could remove it: the sweeper does that. */
export function destroyed(d: LifeDraft): void {
  const { s, life, env, commands } = d;
  const endedAt = life.closing?.at ?? onForge(s, env.now);
  cancelTakingEffect(d);
  commands.push({ kind: 'record_end', input: { ...runRef(s, life), endedAt } });
  note(d, 'destroyed');
  endLife(d, endedAt);
}

/** @param endedAt the forge's clock: only a later trigger begins another life */
export function endLife({ s, life }: LifeDraft, endedAt: number): void {
  s.endedAt = endedAt;
  life.stage = { kind: 'destroyed' };
  life.mailbox = { waiting: [], omitted: 0 };
}
