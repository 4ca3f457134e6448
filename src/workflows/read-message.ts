/**
 * What came in from outside, checked: Temporal's own page and CLI send anything. Pure, and without a schema library, which
 * would add a megabyte to the workflow's code.
 */
import { isRecord } from '../domain/base/is-record.js';
import type { OperatorCommand, RunEvent } from '../domain/run/events.js';

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string' && value.length <= 10_000;
const flag: Check = (value) => typeof value === 'boolean';
const whole: Check = (value) => Number.isSafeInteger(value);
const time: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check, most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(check);
const shape =
  (fields: Shape): Check =>
  (value) =>
    isRecord(value) && wrongField(value, fields) === undefined;

const place: Shape = { repoId: whole, owner: text, repo: text };
const reference: Shape = {
  key: text,
  kind: oneOf('comment', 'review', 'inline', 'push', 'checks'),
  number: whole,
  id: whole,
  sha: text,
  author: text,
  at: time,
};
const trigger: Shape = {
  agent: text,
  bottles: list(text, 100),
  actor: text,
  actAt: time,
  actId: whole,
  textHash: text,
  pull: orNull(whole),
  operator: optional(
    shape({
      promptRef: orNull(text),
      by: optional(text),
      source: optional(shape({ forge: text, owner: text, repo: text })),
    }),
  ),
};
const pr: Shape = { number: whole, open: flag, merged: flag, closedAt: orNull(time) };
const done: Shape = { id: text, status: oneOf('success', 'blocked', 'failed'), summaryRef: text };

const amounts = shape({ turns: whole, tokens: whole, microUsd: whole });
const policy: Shape = {
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

const EVENTS: Readonly<Record<RunEvent['kind'], Shape>> = {
  observed: {
    readAt: time,
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
  turn_started: { slug: text, turn: whole, at: time, lost: optional(list(oneOf('workspace', 'home'), 2)) },
  turn_held_up: { slug: text, turn: whole, reason: text },
  signal_done: { slug: text, turn: whole, done: shape(done) },
  paused: { reason: text },
  unpaused: {},
  archive: { slug: text },
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
  return { ...given, kind } as unknown as RunEvent;
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
  resume: { defaults: { promptRef: null }, fields: { promptRef: orNull(text) } },
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
  const shapes: Shape = { ...fields, by: optional(text) };
  const wrong = wrongField(command, shapes);
  if (wrong !== undefined) throw new Error(`${kind}: "${wrong}" is missing or not what it should be`);
  // What else was sent with it is not the run's to keep.
  const known = Object.entries(command).filter(([name]) => Object.hasOwn(shapes, name));
  return { ...Object.fromEntries(known), kind } as unknown as OperatorCommand;
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
