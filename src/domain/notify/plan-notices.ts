/** What is told next, and what is noted of it. */
import type { FrozenRun, HookName, NoticeRow } from '../run/notices.js';
import type { ProposalRow } from '../run/rows.js';
import type { Sent, Waiting } from './hooks.js';

/** More at once are told in one message. */
export const MOST_BY_THEMSELVES = 10;
/** A run that was woken before it froze goes on at once. */
export const SETTLED_MS = 10_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After the first failure, the second, …; the last one goes on. */
const BACK_OFF_MS = [10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] as const;
/** From the first failure on. */
export const GIVE_UP_MS = 24 * HOUR;

/** All that waits, oldest first. */
export function waitingOf(proposals: readonly ProposalRow[], runs: readonly FrozenRun[]): Waiting[] {
  return [
    // Nobody waits for what nobody asked for.
    ...proposals
      .filter(({ origin }) => origin === 'agent')
      .map((row): Waiting => ({ kind: 'proposal', id: `proposal-${row.id}`, since: row.at, row })),
    ...runs.map((run): Waiting => ({ kind: 'run', id: idOfRun(run), since: run.since, run })),
  ].sort((a, b) => a.since - b.since);
}

/** A receiver may sign or split by dots, so there are none. */
function idOfRun({ slug, since }: FrozenRun): string {
  return `run-${slug.replace(/[^A-Za-z0-9-]/g, '-')}-${String(since)}`;
}

/** What one message tells: one thing, or more than ten at once; nothing when nobody is to be told now. */
export function nextToTell(
  waiting: readonly Waiting[],
  notes: readonly NoticeRow[],
  now: number,
): readonly Waiting[] {
  const noted = new Map(notes.map((note) => [note.id, note]));
  const ready = waiting.filter((one) => {
    const note = noted.get(one.id);
    return note === undefined ? isSettled(one, now) : note.state === 'failing' && isDue(note, now);
  });
  return ready.length > MOST_BY_THEMSELVES ? ready : ready.slice(0, 1);
}

/** Not looked at too early. What froze well ahead of now did so before the clock was set back. */
function isSettled({ kind, since }: Waiting, now: number): boolean {
  return kind === 'proposal' || Math.abs(now - since) >= SETTLED_MS;
}

/** Nothing is put off for longer than an hour: what seems to be was noted before the clock was set back. */
function isDue({ dueAt }: NoticeRow, now: number): boolean {
  return dueAt <= now || dueAt > now + HOUR;
}

/** Notes of what waits no more: a table that only grows would be read each time. */
export function notesToForget(waiting: readonly Waiting[], notes: readonly NoticeRow[]): string[] {
  const ids = new Set(waiting.map(({ id }) => id));
  return notes.map(({ id }) => id).filter((id) => !ids.has(id));
}

/** What is noted of these after one message about them. */
export function notesAfter(
  told: readonly Waiting[],
  notes: readonly NoticeRow[],
  sent: Sent,
  { hook, now }: { readonly hook: HookName; readonly now: number },
): NoticeRow[] {
  const noted = new Map(notes.map((note) => [note.id, note]));
  return told.map(({ id }) => {
    const { tries: before, firstAt: noticed } = noted.get(id) ?? { tries: 0, firstAt: now };
    // Else a clock that was set back would put off giving up.
    const firstAt = Math.min(noticed, now);
    if (sent.kind === 'told') return { id, hook, state: 'told', tries: before, firstAt, dueAt: now };
    const tries = before + 1;
    const delay = sent.kind === 'again' ? delayMs(tries, sent.retryAfterMs) : Infinity;
    return now + delay > firstAt + GIVE_UP_MS
      ? { id, hook, state: 'given_up', tries, firstAt, dueAt: now }
      : { id, hook, state: 'failing', tries, firstAt, dueAt: now + delay };
  });
}

/** At least our own, at most an hour of what the receiver asks for. @param tries failures so far, from 1 */
function delayMs(tries: number, retryAfterMs: number | null): number {
  const own = BACK_OFF_MS[Math.min(tries, BACK_OFF_MS.length) - 1] ?? HOUR;
  return Math.max(own, Math.min(retryAfterMs ?? 0, HOUR));
}
