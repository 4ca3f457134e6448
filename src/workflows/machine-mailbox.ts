/** What people wrote and pushed, from its arrival to the prompt: in order, each thing once, bounded. Pure. */
import type { WakeReference } from '../domain/events.js';
import type { MachineState } from './machine-state.js';

/** Most keys kept to know a thing again: some 50 bytes each, and continue-as-new carries them. */
const MAX_SEEN = 4_000;
/** Most references that wait for a prompt: some 200 bytes each, and an argument of an activity may have 2 MB. */
export const MAX_MAILBOX = 1_000;

/** Takes new references in and withdrawn comments out. False when nothing new came. */
export function receive(
  s: MachineState,
  references: readonly WakeReference[],
  withdrawn: readonly number[],
): boolean {
  let mailbox: readonly WakeReference[] = s.mailbox.filter(
    (ref) => !isWritten(ref) || !withdrawn.includes(ref.id),
  );
  const known = new Set(s.seen);
  const fresh: string[] = [];
  for (const ref of references) {
    if (known.has(ref.key)) continue;
    known.add(ref.key);
    fresh.push(ref.key);
    mailbox = withReference(mailbox, ref);
  }
  s.omitted += Math.max(0, mailbox.length - MAX_MAILBOX);
  s.mailbox = mailbox.slice(-MAX_MAILBOX);
  s.seen = remember(s.seen, fresh);
  return fresh.length > 0;
}

/** References of a prompt that nobody got, before what came since: a comment that was edited meanwhile is there once. */
export function putBack(
  taken: readonly WakeReference[],
  since: readonly WakeReference[],
): readonly WakeReference[] {
  return since.reduce(withReference, taken);
}

/** A comment that was edited before any prompt had it keeps its place, with its new text. */
function withReference(mailbox: readonly WakeReference[], ref: WakeReference): readonly WakeReference[] {
  const isSame = (other: WakeReference): boolean => isWritten(other) && other.id === ref.id;
  if (!isWritten(ref) || !mailbox.some(isSame)) return [...mailbox, ref];
  return mailbox.map((other) => (isSame(other) ? ref : other));
}

/** Comments of both kinds can be edited and deleted, and share one number space. */
function isWritten(ref: WakeReference): boolean {
  return ref.kind === 'comment' || ref.kind === 'inline';
}

export function remember(seen: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.length === 0 ? seen : [...seen, ...keys].slice(-MAX_SEEN);
}
