/** How a life ends. */
import { note, stopSleeping, type Draft } from './machine-draft.js';

export function destroy(d: Draft): void {
  const { s } = d;
  stopSleeping(d);
  s.phase = 'destroying';
  s.busy = 'destroy';
  d.commands.push({ kind: 'destroy', slug: s.life?.slug ?? '' });
}

export function destroyed(d: Draft): void {
  const { s, env } = d;
  const endedAt = s.closing?.at ?? env.now;
  d.commands.push({ kind: 'record_end', slug: s.life?.slug ?? '', endedAt });
  note(d, 'destroyed');
  endLife(d, endedAt);
}

export function endLife(d: Draft, endedAt: number): void {
  const { s } = d;
  s.phase = 'destroyed';
  s.busy = null;
  s.endedAt = endedAt;
  s.life = null;
  s.closing = null;
  s.mailbox = [];
  s.taken = [];
  s.given = [];
  s.deferred = null;
  s.omitted = 0;
}
