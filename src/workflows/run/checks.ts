/** Failed checks that wake a run: those of its own last push, and only so often without a person's word in between. Pure. */
import type { WakeReference } from '../../domain/run/events.js';
import type { PublishResult, TurnCause } from '../../domain/run/turn.js';
import { note, type LifeDraft } from './draft.js';
import { runRef } from './inputs.js';
import { openPrs } from './reads-of-forge.js';
import type { Life } from './state.js';

/** Most wakes by failed checks alone. */
const MAX_IN_A_ROW = 3;

const isOfChecks = ({ kind }: WakeReference): boolean => kind === 'checks';

/** What the gate pushed: the head that is the run's own. A workspace that only has a person's commits pushed nothing. */
export function pushedBy(result: PublishResult, before: string | null): string | null {
  const isPushed = result.kind === 'published' || result.kind === 'pushed';
  return isPushed && result.unchanged !== true ? result.head : before;
}

/** Once the run is frozen it is known what it pushed: what fails on somebody else's commit, or an older one, is forgotten. */
export function forgetOthersChecks({ mailbox, work }: Life): Life['mailbox'] {
  return {
    ...mailbox,
    waiting: mailbox.waiting.filter((ref) => !isOfChecks(ref) || ref.sha === work.pushed),
  };
}

/** Whether waiting events may wake the run. The first time that failed checks hit the limit, people are told. */
export function mayWake(d: LifeDraft): boolean {
  const { life } = d;
  const { waiting } = life.mailbox;
  if (waiting.length === 0) return false;
  if (!waiting.every(isOfChecks) || life.checkWakes < MAX_IN_A_ROW) return true;
  if (life.checkWakes === MAX_IN_A_ROW) stop(d);
  return false;
}

function stop(d: LifeDraft): void {
  const { s, life, commands } = d;
  const why = `failed checks have woken the run ${String(MAX_IN_A_ROW)} times in a row: they do so no more until a person does`;
  life.checkWakes = MAX_IN_A_ROW + 1;
  life.detail = why;
  note(d, why);
  const [pr] = openPrs(life);
  if (pr !== undefined) commands.push({ kind: 'tell_checks_stopped', input: { ...runRef(s, life), pr } });
}

/** A turn begins for what is in its prompt: checks alone are counted, a person begins the count anew. */
export function countWake(life: Life, cause: TurnCause): void {
  const { waiting } = life.mailbox;
  const isPersons = cause.kind === 'operator' || cause.kind === 'decision' || cause.kind === 'retriggered';
  if (isPersons || !waiting.every(isOfChecks)) life.checkWakes = 0;
}

/** By what waits in the mailbox. */
export function countIfByChecks(d: LifeDraft): void {
  const { life } = d;
  if (!life.mailbox.waiting.every(isOfChecks)) return;
  life.checkWakes += 1;
  note(d, `woken by failed checks, ${String(life.checkWakes)} of ${String(MAX_IN_A_ROW)} in a row`);
}

/** There was nothing to tell after all: it was no wake. */
export function uncount(life: Life, taken: readonly WakeReference[]): void {
  if (taken.length > 0 && taken.every(isOfChecks)) life.checkWakes = Math.max(0, life.checkWakes - 1);
}
