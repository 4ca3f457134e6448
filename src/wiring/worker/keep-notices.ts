/** Tells people what waits for them, by one hook, for as long as the worker runs. */
import type { Logger } from '../../config/log.js';
import type { Hook, Message, Waiting } from '../../domain/notify/hooks.js';
import { proposalMessage, runMessage, summaryMessage } from '../../domain/notify/notice-body.js';
import { nextToTell, notesAfter, notesToForget, waitingOf } from '../../domain/notify/plan-notices.js';
import { REASONS_FOR_PEOPLE } from '../../domain/run/frozen-reasons.js';
import type { NoticeRow } from '../../domain/run/notices.js';
import type { BlobStore } from '../../domain/run/run-files.js';
import type { Database } from '../../domain/run/stores.js';
import { readShownProposal } from '../../domain/supervise/read-shown-proposal.js';
import { waited } from './persistently.js';

const LOOK_MS = 5_000;

export interface NoticeParts {
  readonly hook: Hook;
  readonly database: Database;
  readonly blobs: Pick<BlobStore, 'getText'>;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn' | 'error' | 'info'>;
  readonly lookMs?: number;
}

/** Resolves when it has stopped. What fails is logged, and holds up nothing else. */
export async function keepNotices(parts: NoticeParts, stopped: AbortSignal): Promise<void> {
  const { hook, log, lookMs = LOOK_MS } = parts;
  let failing = false;
  do {
    try {
      while (!stopped.aborted && (await tellNext(parts, stopped)));
      failing = false;
    } catch (err) {
      if (!failing)
        log.warn({ err, hook: hook.name }, 'what waits for people cannot be looked at; trying again');
      failing = true;
    }
  } while (await waited(lookMs, stopped));
}

/**
 * Looks at what waits now, sends one message about what is to be told first, and then notes that: a crash in between tells it
 * again. False when nothing was to be told.
 */
async function tellNext(parts: NoticeParts, stopped: AbortSignal): Promise<boolean> {
  const { hook, database, now } = parts;
  const { waiting, notes } = await database.transaction(async ({ proposals, notices }) => ({
    waiting: waitingOf(await proposals.open(), await notices.frozen(REASONS_FOR_PEOPLE)),
    notes: (await notices.all()).filter((note) => note.hook === hook.name),
  }));
  const over = notesToForget(waiting, notes);
  if (over.length > 0) await database.notices.forget(hook.name, over);
  const told = nextToTell(waiting, notes, now());
  if (told.length === 0) return false;
  const message = await messageOf(parts, told);
  const sent = await hook.send(message, stopped);
  // Broken off: it may have arrived or not.
  if (stopped.aborted && sent.kind !== 'told') return false;
  const after = notesAfter(told, notes, sent, { hook: hook.name, now: now() });
  await database.transaction(({ notices }) => notices.write(after));
  if (sent.kind !== 'told') report(parts, message, sent.why, [...notes, ...after], after);
  return true;
}

async function messageOf({ database, blobs }: NoticeParts, told: readonly Waiting[]): Promise<Message> {
  const [first, ...others] = told;
  if (first === undefined || others.length > 0) return summaryMessage(told);
  if (first.kind === 'run') return runMessage(first.id, first.run);
  const { slug, ref } = first.row;
  const row = await database.forgeState.ofRun(slug);
  // A blob that is broken does not keep the rest from being told.
  const shown = await blobs
    .getText(ref)
    .then(readShownProposal)
    .catch(() => null);
  return proposalMessage(first.id, first.row, row?.issueUrl, shown);
}

function report(
  { hook: { name: hook }, log }: NoticeParts,
  { id }: Message,
  why: string,
  notes: readonly NoticeRow[],
  after: readonly NoticeRow[],
): void {
  const tries = Math.max(...after.map((note) => note.tries));
  if (after.every(({ state }) => state === 'failing'))
    return log.warn({ hook, notice: id, tries, why }, 'a notification failed; trying again');
  const givenUp = new Set(notes.flatMap((note) => (note.state === 'given_up' ? [note.id] : []))).size;
  log.error({ hook, notice: id, tries, why, givenUp }, 'a notification is given up');
}
