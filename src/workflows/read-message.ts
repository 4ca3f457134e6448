/**
 * What came in from outside, checked: Temporal's own page and CLI send anything. Pure, and without a schema library, which
 * would add a megabyte to the workflow's code.
 */
import { isBlobRef } from '../domain/base/blob-ref.js';
import { isRecord } from '../domain/base/is-record.js';
import type { Place, RepoRef } from '../domain/forge/issue.js';
import type { ObservedPr, OperatorCommand, RunEvent, Trigger, WakeReference } from '../domain/run/events.js';
import { QUEUE_ID } from '../domain/run/queue.js';
import type { RunPolicy } from '../domain/run/run-policy.js';
import type { Done } from '../domain/run/turn.js';

interface Check {
  (value: unknown): boolean;
  /** Of a value with parts that passed: without what else was sent with them. Absent where there are no parts. */
  readonly known?: (value: unknown) => unknown;
}
type Shape = Readonly<Record<string, Check>>;
/** Each field of it, also one that may be absent: what has no check is not kept. */
type ShapeOf<T> = Readonly<Record<keyof T, Check>>;

/** What a run keeps once. */
const text: Check = (value) => typeof value === 'string' && value.length <= 10_000;
/** Names, ids and hashes, of which a run keeps many. A label has 50 characters, a login 40, a hash 64. */
const brief: Check = (value) => typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{0,300}$/u.test(value);
/** A run keeps thousands of these: `reference-key.ts` makes at most 104 characters. */
const key: Check = (value) => typeof value === 'string' && /^[\w:.-]{1,128}$/.test(value);
const sha: Check = (value) => typeof value === 'string' && /^\w{0,64}$/.test(value);
const login: Check = (value) => typeof value === 'string' && /^[ !#-[\]-~]{0,100}$/.test(value);
const flag: Check = (value) => typeof value === 'boolean';
const whole: Check = (value) => Number.isSafeInteger(value);
const time: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const orNull = (check: Check): Check =>
  Object.assign((value: unknown) => value === null || check(value), {
    known: (value: unknown) => (value === null ? null : knownIn(value, check)),
  });
const optional = (check: Check): Check =>
  Object.assign((value: unknown) => value === undefined || check(value), {
    known: (value: unknown) => (value === undefined ? undefined : knownIn(value, check)),
  });
const list = (check: Check, most: number): Check =>
  Object.assign(
    (value: unknown) => Array.isArray(value) && value.length <= most && value.every((one) => check(one)),
    { known: (value: unknown) => (value as unknown[]).map((one) => knownIn(one, check)) },
  );
const shape = (fields: Shape): Check =>
  Object.assign((value: unknown) => isRecord(value) && wrongField(value, fields) === undefined, {
    known: (value: unknown) => knownFields(value as Readonly<Record<string, unknown>>, fields),
  });

const place: ShapeOf<Place> = { repoId: whole, owner: brief, repo: brief };
/** As it is sent: `again` is the run's own word. */
const reference: ShapeOf<Omit<WakeReference, 'again'>> = {
  key,
  kind: oneOf('comment', 'review', 'inline', 'push', 'checks'),
  number: whole,
  id: whole,
  sha,
  author: login,
  at: time,
};
/** PATH_MAX of Linux. */
const path: Check = (value) => typeof value === 'string' && value.length <= 4_096;
const source: ShapeOf<RepoRef> = { forge: brief, owner: brief, repo: brief, path: optional(path) };
const operator: ShapeOf<NonNullable<Trigger['operator']>> = {
  promptRef: orNull(brief),
  by: optional(brief),
  source: optional(shape(source)),
};
const trigger: ShapeOf<Trigger> = {
  agent: brief,
  bottles: list(brief, 100),
  actor: brief,
  actAt: time,
  actId: whole,
  textHash: brief,
  pull: orNull(whole),
  operator: optional(shape(operator)),
};
const pr: ShapeOf<ObservedPr> = { number: whole, open: flag, merged: flag, closedAt: orNull(time) };
const done: ShapeOf<Done> = { id: brief, status: oneOf('success', 'blocked', 'failed'), summaryRef: brief };

const amounts = shape({ turns: whole, tokens: whole, microUsd: whole });
const policy: ShapeOf<RunPolicy> = {
  watchdogMs: whole,
  hostSilentMs: whole,
  superviseHoldMs: whole,
  turnTimeoutMs: whole,
  doneGraceMs: whole,
  nudges: whole,
  wakesPerHour: whole,
  budget: amounts,
  session: shape({ turns: whole, tokens: whole }),
  resumeLimited: flag,
  maxEvents: whole,
  maxSignals: whole,
};

const EVENTS: {
  readonly [K in RunEvent['kind']]: ShapeOf<Omit<Extract<RunEvent, { kind: K }>, 'kind'>>;
} = {
  observed: {
    readAt: time,
    aheadMs: optional(time),
    open: flag,
    closedAt: orNull(time),
    triggered: flag,
    trigger: orNull(shape(trigger)),
    prs: list(shape(pr), 1_000),
    place: shape(place),
  },
  references: {
    references: list(shape(reference), 1_000),
    withdrawn: list(whole, 10_000),
    place: shape(place),
  },
  unserved: { why: text },
  lost: { readAt: time, why: text },
  turn_started: { slug: brief, turn: whole, at: time, lost: optional(list(oneOf('workspace', 'home'), 2)) },
  turn_held_up: { slug: brief, turn: whole, reason: text },
  signal_done: { slug: brief, turn: whole, done: shape(done) },
  paused: { reason: text },
  unpaused: {},
  archive: { slug: brief },
  settings: { policy: shape(policy) },
};

const BATCHES: readonly string[] = [
  'issue_comment',
  'pr_comment',
  'pr_review',
  'push',
  'checks_failed',
  'comment_deleted',
];

/** The event that a signal tells, or why it tells none. */
export function readSignal(
  name: string,
  payload: unknown,
): RunEvent | { readonly kind: 'unread'; readonly why: string } {
  const kind = BATCHES.includes(name) ? 'references' : name;
  const fields = kind === 'references' && name === kind ? undefined : fieldsOf(kind);
  if (fields === undefined) return unread(name, 'no such signal');
  // What needs nothing may come with nothing.
  const given = payload ?? (Object.keys(fields).length === 0 ? {} : payload);
  if (!isRecord(given)) return unread(name, 'it has no record of fields');
  const wrong = wrongField(given, fields);
  if (wrong !== undefined) return unread(name, `"${wrong}" is missing or not what it should be`);
  return { ...knownFields(given, fields), kind } as unknown as RunEvent;
}

function fieldsOf(kind: string): Shape | undefined {
  return Object.hasOwn(EVENTS, kind) ? EVENTS[kind as RunEvent['kind']] : undefined;
}

function unread(name: string, why: string): { readonly kind: 'unread'; readonly why: string } {
  const shown = name.replace(/[^\w.-]/g, '?').slice(0, 60);
  return { kind: 'unread', why: `signal ${shown} was not understood: ${why}` };
}

/** What people leave out, and what must be there. */
const COMMANDS: Readonly<
  Record<OperatorCommand['kind'], { readonly defaults: object; readonly fields: Shape }>
> = {
  freeze: { defaults: {}, fields: {} },
  resume: { defaults: { promptRef: null }, fields: { promptRef: orNull(brief) } },
  destroy: { defaults: {}, fields: {} },
  done: { defaults: { status: 'success' }, fields: { status: oneOf('success', 'blocked', 'failed') } },
  extend: { defaults: {}, fields: { ms: time } },
  move: { defaults: {}, fields: {} },
  budget: {
    defaults: { turns: 0, tokens: 0, microUsd: 0, dayEnds: null },
    fields: { turns: time, tokens: time, microUsd: time, dayEnds: orNull(time) },
  },
};

/** The command that an update asks for. @throws Error that says what is wrong with its input */
export function readCommand(kind: OperatorCommand['kind'], input: unknown): OperatorCommand {
  const { defaults, fields } = COMMANDS[kind];
  const given = input ?? {};
  if (!isRecord(given)) throw new Error(`${kind} takes a JSON object`);
  const command: Readonly<Record<string, unknown>> = { ...defaults, ...given };
  const shapes: Shape = { ...fields, by: optional(brief) };
  const wrong = wrongField(command, shapes);
  if (wrong !== undefined) throw new Error(`${kind}: "${wrong}" is missing or not what it should be`);
  return { ...knownFields(command, shapes), kind } as unknown as OperatorCommand;
}

/** For the validator of `openPr`: its id is kept with the answer. */
export function isOpenPr(request: unknown): boolean {
  if (!isRecord(request)) return false;
  const { slug, turn, requestId, contentRef } = request;
  const isId = typeof requestId === 'string' && QUEUE_ID.test(requestId);
  return brief(slug) && whole(turn) && isId && isBlobRef(contentRef);
}

/**
 * For an Update's validator, which leaves nothing in the history: an Update reaches a worker however late, while its sender
 * was told long before that nobody answers, and may have sent it again. @throws Error when its sender waits no longer
 */
export function refuseLate(asked: unknown, now: number): void {
  if (!isRecord(asked) || typeof asked['until'] !== 'number' || now <= asked['until']) return;
  const seconds = Math.ceil((now - asked['until']) / 1_000);
  throw new Error(
    `its sender stopped waiting ${String(seconds)} s ago: send it again; if that does not help, the clocks differ`,
  );
}

function wrongField(value: Readonly<Record<string, unknown>>, fields: Shape): string | undefined {
  return Object.entries(fields).find(([name, check]) => !check(value[name]))?.[0];
}

/** What else was sent with them is not the run's to keep, in however many references. */
function knownFields(
  value: Readonly<Record<string, unknown>>,
  fields: Shape,
): Readonly<Record<string, unknown>> {
  const sent = Object.entries(fields).filter(([field]) => Object.hasOwn(value, field));
  return Object.fromEntries(sent.map(([field, check]) => [field, knownIn(value[field], check)]));
}

function knownIn(value: unknown, { known }: Check): unknown {
  return known === undefined ? value : known(value);
}
