import type { Access } from '../../domain/forge/access.js';
import { isNotFound } from '../../domain/base/errors.js';
import type { WakeReference } from '../../domain/run/events.js';
import type { Forge } from '../../domain/forge/forge.js';
import type { PromptEvent } from '../../domain/prompt/prompt-input.js';
import { readFailedChecks } from '../../domain/forge/failed-checks.js';
import { checksKey, commentKey } from '../../domain/forge/reference-key.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import { sha256 } from '../base/sha256.js';

export interface ReadEvents {
  /** In the order of the references. */
  readonly events: readonly PromptEvent[];
  /** Keys of what is gone, or whose author may no longer drive an agent. */
  readonly dropped: readonly string[];
  /** Keys of comments and checks that had changed again. */
  readonly readKeys: readonly string[];
}

type ReadEvent =
  | { readonly kind: 'event'; readonly event: PromptEvent; readonly key: string }
  | { readonly kind: 'dropped'; readonly key: string };

/** References at once: a full mailbox must not become a thousand requests side by side. */
const READS_AT_ONCE = 8;

/** Checks that are named in one event, and those whose logs are read. */
const MAX_CHECKS = 10;
const MAX_LOGS = 3;
/** The end of each log: what failed is said there. */
const LOG_BYTES = 3 * 1024;

/** References become text, read fresh; authors are asked for again. */
export async function readEvents(
  forge: Forge,
  access: Access,
  references: readonly WakeReference[],
): Promise<ReadEvents> {
  const found = await mapLimited(references, READS_AT_ONCE, (reference) =>
    readEvent(forge, access, reference),
  );
  const told = new Set(references.map((reference) => reference.key));
  return {
    events: found.flatMap((one) => (one.kind === 'event' ? [one.event] : [])),
    dropped: found.flatMap((one) => (one.kind === 'dropped' ? [one.key] : [])),
    readKeys: found.flatMap((one) => (one.kind === 'event' && !told.has(one.key) ? [one.key] : [])),
  };
}

async function readEvent(forge: Forge, access: Access, reference: WakeReference): Promise<ReadEvent> {
  const { author, key, kind } = reference;
  if (kind !== 'checks' && !(await access.mayWake(author))) return { kind: 'dropped', key };
  try {
    const read = await readOne(forge, reference);
    if (read?.kind !== 'event') return { kind: 'dropped', key };
    // Changed since, it is news.
    const isAgain = reference.again === true && read.key === key;
    return isAgain ? { ...read, event: { ...read.event, again: true } } : read;
  } catch (error) {
    if (isNotFound(error)) return { kind: 'dropped', key };
    throw error;
  }
}

async function readOne(forge: Forge, reference: WakeReference): Promise<ReadEvent | undefined> {
  const { number, author, key } = reference;
  switch (reference.kind) {
    case 'comment': {
      const comment = await forge.readComment(reference.id);
      const event = { kind: 'comment', number, author, at: comment.createdAt, body: comment.body } as const;
      return { kind: 'event', event, key: commentKey(comment, sha256) };
    }
    case 'review': {
      const reviews = await forge.readReviews(number);
      const review = reviews.find((one) => one.id === reference.id);
      if (review === undefined) return undefined;
      const { state, body, submittedAt: at } = review;
      // Others' answers in its threads stand among them, and must not pass for the reviewer's words.
      const comments = review.comments.filter((comment) => comment.author.id === review.author.id);
      return { kind: 'event', event: { kind: 'review', number, author, at, state, body, comments }, key };
    }
    case 'inline': {
      const reviews = await forge.readReviews(number);
      const comment = reviews.flatMap((review) => review.comments).find((one) => one.id === reference.id);
      if (comment === undefined) return undefined;
      const { path, line, body, updatedAt: at } = comment;
      const event = { kind: 'inline', number, author, at, path, line, body } as const;
      return { kind: 'event', event, key: commentKey(comment, sha256) };
    }
    case 'push': {
      const at = new Date(reference.at).toISOString();
      return { kind: 'event', event: { kind: 'push', number, author, at, sha: reference.sha }, key };
    }
    case 'checks':
      return readChecks(forge, reference);
  }
}

/** As they stand now; `undefined` when that commit is no head any longer, or nothing of its own fails on it. */
async function readChecks(
  forge: Forge,
  { number, sha }: Pick<WakeReference, 'number' | 'sha'>,
): Promise<ReadEvent | undefined> {
  const pull = await forge.readPr(number);
  if (pull.state !== 'open' || pull.head.sha !== sha) return undefined;
  const failed = await readFailedChecks(forge, pull);
  if (failed.length === 0) return undefined;
  const named = failed.slice(0, MAX_CHECKS);
  const logs = await Promise.all(
    named.slice(0, MAX_LOGS).map((check) => forge.readCheckLog(check, sha, LOG_BYTES)),
  );
  const told = named.map(({ context: name, state, description, url }, index) => {
    return { name, state, description, url, log: logs[index] ?? null };
  });
  const more = failed.length - named.length;
  const event = { kind: 'checks', number, sha, failed: told, more } as const;
  return { kind: 'event', event, key: checksKey(sha, failed, sha256) };
}
