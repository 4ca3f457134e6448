/** Containers of a run that nobody has woken for long are put away; volumes, workspace and transcript stay. */
import { note, type Draft } from './machine-draft.js';
import { destroy } from './machine-end.js';
import { beginTurn, wake } from './machine-turn.js';
import { wakesOn } from './machine-verdict.js';

/** Only while the run rests: whatever goes on needs its containers, or is about to remove them itself. */
export function archive(d: Draft, slug: string): void {
  const { s } = d;
  if (s.phase !== 'frozen' || s.busy !== null || s.host === null || s.life?.slug !== slug) return;
  s.busy = 'archive';
  d.commands.push({ kind: 'archive', slug });
}

/** Done or given up: what came meanwhile begins now. */
export function archiveOver(d: Draft, what: string): void {
  const { s } = d;
  if (s.busy !== 'archive') return;
  note(d, what);
  const asked = s.afterArchive;
  s.busy = null;
  s.afterArchive = null;
  if (s.closing !== null) return destroy(d);
  if (asked) return beginTurn(d, asked);
  if (s.frozenReason === 'untriggered' && !s.untriggered) return beginTurn(d, { kind: 'retriggered' });
  if (s.mailbox.length > 0 && wakesOn(s.frozenReason)) wake(d);
}
