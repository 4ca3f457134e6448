/** Containers of a run that nobody has woken for long are put away; volumes, workspace and transcript stay. */
import { note, type LifeDraft } from './draft.js';
import { destroy } from './end.js';
import { runRef } from './inputs.js';
import { beginTurn, wakeIfAny } from './turn.js';

/** Only while the run rests: whatever goes on needs its containers, or is about to remove them itself. */
export function archive({ s, life, commands }: LifeDraft): void {
  const { stage, host } = life;
  if (stage.kind !== 'frozen' || stage.archiving || host === null) return;
  stage.archiving = true;
  commands.push({ kind: 'archive', host, run: runRef(s, life) });
}

/** Done or given up: what came meanwhile begins now. */
export function archiveEnded(d: LifeDraft, failure: string | null): void {
  const { life } = d;
  const { stage } = life;
  if (stage.kind !== 'frozen' || !stage.archiving) return;
  note(d, failure === null ? 'containers put away' : `containers not put away: ${failure}`);
  const asked = stage.afterArchive;
  stage.archiving = false;
  stage.afterArchive = null;
  if (life.closing !== null) return destroy(d);
  if (asked !== null) return beginTurn(d, asked);
  wakeIfAny(d);
}
