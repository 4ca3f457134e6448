/**
 * What came in from outside, checked: Temporal's own page and CLI send anything. Pure, and without a schema library, which
 * would add a megabyte to the workflow's code.
 */
import { isBlobRef } from '../domain/base/blob-ref.js';
import { isRecord } from '../domain/base/is-record.js';
import type { Place, RepoRef } from '../domain/forge/issue.js';
import type { ObservedPr, OperatorCommand, RunEvent, Trigger, WakeReference } from '../domain/run/events.js';
import { QUEUE_ID } from '../domain/run/queue.js';
import type { OpenPrRequest } from '../domain/run/run-channel.js';
import type { RunPolicy } from '../domain/run/run-policy.js';
import type { Done } from '../domain/run/turn.js';

/** What a value comes to: itself, without what else was sent with its parts, or `WRONG`. */
type Read = (value: unknown) => unknown;
type Fields = Readonly<Record<string, unknown>>;
type Shape = Readonly<Record<string, Read>>;
/** Each field of it, also one that may be absent: what is not read is not kept. */
type ShapeOf<T> = Readonly<Record<keyof T, Read>>;

const WRONG = Symbol('wrong');

const passing =
  (isRight: (value: unknown) => boolean): Read =>
  (value) =>
    isRight(value) ? value : WRONG;
const matching = (pattern: RegExp): Read =>
  passing((value) => typeof value === 'string' && pattern.test(value));

/** What a run keeps once. */
const text = passing((value) => typeof value === 'string' && value.length <= 10_000);
/** Names, ids and hashes, of which a run keeps many. A label has 50 characters, a login 40, a hash 64. */
const brief = matching(/^[^\p{Cc}\p{Cs}]{0,300}$/u);
/** A run keeps thousands of these: `reference-key.ts` makes at most 104 characters. */
const key = matching(/^[\w:.-]{1,128}$/);
const sha = matching(/^\w{0,64}$/);
const login = matching(/^[ !#-[\]-~]{0,100}$/);
const flag = passing((value) => typeof value === 'boolean');
const whole = passing(Number.isSafeInteger);
const time = passing(Number.isFinite);
const oneOf = (...words: readonly unknown[]): Read => passing((value) => words.includes(value));
const orNull =
  (read: Read): Read =>
  (value) =>
    value === null ? null : read(value);
const optional =
  (read: Read): Read =>
  (value) =>
    value === undefined ? undefined : read(value);
const list =
  (read: Read, most: number): Read =>
  (value) => {
    if (!Array.isArray(value) || value.length > most) return WRONG;
    const items = value.map((one) => read(one));
    return items.includes(WRONG) ? WRONG : items;
  };
const shape =
  (fields: Shape): Read =>
  (value) => {
    if (!isRecord(value)) return WRONG;
    const { known, wrong } = readFields(value, fields);
    return wrong === undefined ? known : WRONG;
  };

/** `wrong`: the first field that is. What else was sent is not the run's to keep, in however many references. */
function readFields(
  value: Fields,
  fields: Shape,
): { readonly known: Fields; readonly wrong: string | undefined } {
  const all = Object.entries(fields).map(([name, read]) => [name, read(value[name])] as const);
  const wrong = all.find(([, read]) => read === WRONG)?.[0];
  return { known: Object.fromEntries(all.filter(([name]) => Object.hasOwn(value, name))), wrong };
}

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
const path = passing((value) => typeof value === 'string' && value.length <= 4_096);
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
  const { known, wrong } = readFields(given, fields);
  if (wrong !== undefined) return unread(name, `"${wrong}" is missing or not what it should be`);
  return { ...known, kind } as unknown as RunEvent;
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
  const { known, wrong } = readFields({ ...defaults, ...given }, { ...fields, by: optional(brief) });
  if (wrong !== undefined) throw new Error(`${kind}: "${wrong}" is missing or not what it should be`);
  return { ...known, kind } as unknown as OperatorCommand;
}

const openPr: ShapeOf<OpenPrRequest> = {
  slug: brief,
  turn: whole,
  requestId: matching(QUEUE_ID),
  contentRef: passing(isBlobRef),
};

/** For the validator of `openPr`: its id is kept with the answer. */
export function isOpenPr(request: unknown): boolean {
  return shape(openPr)(request) !== WRONG;
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
