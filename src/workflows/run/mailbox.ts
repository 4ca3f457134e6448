/** What people wrote and pushed, from its arrival to the prompt: in order, each thing once, bounded. Pure. */
import type { WakeReference } from '../../domain/run/events.js';
import type { IssueState, Life } from './state.js';

/** Most keys kept to know a thing again: some 50 bytes each, and continue-as-new carries them. */
const MAX_SEEN = 4_000;
const MAX_SEEN_CHARS = MAX_SEEN * 50;
/** Most references that wait for a prompt: at most some 200 bytes each, and an argument of an activity may have 2 MB. */
export const MAX_MAILBOX = 1_000;
/** As JSON: what passes for a reference may be longer than any of ours, and a run keeps what waits and what was told last. */
const MAX_MAILBOX_CHARS = MAX_MAILBOX * 200;

/** Takes new references in and withdrawn comments out. False when nothing new came. */
export function receive(
  s: IssueState,
  life: Life,
  references: readonly WakeReference[],
  withdrawn: readonly number[],
): boolean {
  const fresh = takeNew(s, references);
  keepWaiting(life, fresh.reduce(withReference, without(withdrawn, life.mailbox.waiting)));
  return fresh.length > 0;
}

/** A life that ends reads nothing any more: what was written since the trigger of the next one waits for that. */
export function receiveForNext(
  s: IssueState,
  references: readonly WakeReference[],
  withdrawn: readonly number[],
): void {
  const { pendingTrigger, pendingReferences } = s;
  if (pendingTrigger === null) return;
  const fresh = takeNew(
    s,
    references.filter(({ at }) => at >= pendingTrigger.actAt),
  );
  s.pendingReferences = newestWaiting(fresh.reduce(withReference, without(withdrawn, pendingReferences)));
}

/** Those that were never taken in, each once: from now on they are known. */
function takeNew(s: IssueState, references: readonly WakeReference[]): readonly WakeReference[] {
  const known = new Set(s.seen);
  const fresh = references.filter(({ key }) => !known.has(key) && known.add(key));
  s.seen = remember(
    s.seen,
    fresh.map(({ key }) => key),
  );
  return fresh;
}

function without(withdrawn: readonly number[], waiting: readonly WakeReference[]): readonly WakeReference[] {
  return waiting.filter((ref) => !isWritten(ref) || !withdrawn.includes(ref.id));
}

/** What the prompt has in its latest form is not told again when the delivery of that form arrives. */
export function alreadyRead(s: IssueState, life: Life, keys: readonly string[]): void {
  if (keys.length === 0) return;
  const { mailbox } = life;
  life.mailbox = { ...mailbox, waiting: mailbox.waiting.filter((ref) => !keys.includes(ref.key)) };
  s.seen = remember(s.seen, keys);
}

/** Nobody got the prompt that these were in: they wait again, before what came since. */
export function tellAgain(life: Life, untold: readonly WakeReference[]): void {
  // A comment that was edited meanwhile is there once.
  keepWaiting(life, life.mailbox.waiting.reduce(withReference, untold));
}

/** The agent may not have read the prompt that these were in: the next one has them once more, and says so. */
export function tellOnceMore(life: Life, what: 'given' | 'taken' = 'given'): void {
  tellAgain(
    life,
    life.turn[what].map((reference) => ({ ...reference, again: true })),
  );
  life.turn[what] = [];
}

/** A comment that was edited before any prompt had it keeps its place, with its new text. */
function withReference(mailbox: readonly WakeReference[], ref: WakeReference): readonly WakeReference[] {
  if (ref.kind === 'checks') return [...mailbox.filter((other) => !isOlderReport(other, ref)), ref];
  const isSame = (other: WakeReference): boolean => isWritten(other) && other.id === ref.id;
  if (!isWritten(ref) || !mailbox.some(isSame)) return [...mailbox, ref];
  return mailbox.map((other) => (isSame(other) ? ref : other));
}

/** What fails is read anew for the prompt: one report of a commit is enough. */
function isOlderReport(other: WakeReference, ref: WakeReference): boolean {
  return other.kind === 'checks' && other.sha === ref.sha;
}

/** Comments of both kinds can be edited and deleted, and share one number space. */
function isWritten(ref: WakeReference): boolean {
  return ref.kind === 'comment' || ref.kind === 'inline';
}

function remember(seen: readonly string[], keys: readonly string[]): readonly string[] {
  return keys.length === 0 ? seen : newest([...seen, ...keys], MAX_SEEN, MAX_SEEN_CHARS);
}

function keepWaiting(life: Life, all: readonly WakeReference[]): void {
  const waiting = newestWaiting(all);
  life.mailbox = { waiting, omitted: life.mailbox.omitted + all.length - waiting.length };
}

function newestWaiting(all: readonly WakeReference[]): readonly WakeReference[] {
  return newest(all, MAX_MAILBOX, MAX_MAILBOX_CHARS);
}

/** @param chars as JSON */
function newest<T>(all: readonly T[], most: number, chars: number): readonly T[] {
  let left = chars;
  const tooMany = all.findLastIndex((one) => (left -= JSON.stringify(one).length + 1) < 0);
  return all.slice(Math.max(tooMany + 1, all.length - most));
}
