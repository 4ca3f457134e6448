/** Things that may happen to a run next, as something to choose from: from outside, or an answer to what the machine asked for. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MachineEvent, PrepareTurnOutcome, WakeReference } from '../../../src/domain/run/events.js';
import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import { CONTAINER_GONE, type StopReason, type TurnResult } from '../../../src/domain/run/turn.js';
import {
  agentReport,
  comment,
  done,
  failing,
  modelReport,
  observed,
  PREPARED,
  PUBLISHED,
  settledTurn,
  trigger,
  turnResult,
  wrote,
  type World,
} from './world.js';

/** Hosts that were refused, of which a run offers some. */
const OFFERS = [1, 2, 3, 4].map((n) => ({ id: String(n).repeat(32), ref: String(n).repeat(64) }));

export type Act =
  /** Of what is under way the one of that number gets an answer. */
  | { readonly kind: 'answer'; readonly which: number; readonly how: number }
  | { readonly kind: 'outside'; readonly event: MachineEvent }
  /** The sweeper asks for the containers of whatever life there is. */
  | { readonly kind: 'sweep' }
  /** The run's host falls silent and, perhaps, is left for another one; or it answers again. */
  | { readonly kind: 'host'; readonly how: 'silent' | 'back' | 'left' }
  /** A host that was left says what came of what it was at. */
  | { readonly kind: 'late'; readonly which: number };

/** The forge's clock has whole seconds. */
const SECOND = 1_000;
/** Early enough for a later trigger to begin another life. */
const OPERATOR_AT = 20 * SECOND;

/** Mostly yes, so that lives last long enough for something to happen in them. */
const mostly = fc.integer({ min: 0, max: 29 }).map((dice) => dice > 0);

const command = (asked: Extract<MachineEvent, { kind: 'command' }>['command']): MachineEvent => ({
  kind: 'command',
  command: asked,
  at: OPERATOR_AT,
});
const MORE = { kind: 'budget', turns: 0, tokens: 0, microUsd: 0, dayEnds: null } as const;

const people: fc.Arbitrary<MachineEvent> = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((id) => wrote(comment(id))),
  fc.integer({ min: 1, max: 40 }).map((id): MachineEvent => ({ ...wrote(), withdrawn: [id] })),
);

/** Mostly of what the gate pushed last, or will: see `SETTLED`. */
const checks: fc.Arbitrary<MachineEvent> = fc
  .record({ sha: fc.constantFrom('h', 'h', 'h', 'theirs'), names: fc.integer({ min: 1, max: 40 }) })
  .map(({ sha, names }) => wrote(failing(sha, String(names))));

const forge: fc.Arbitrary<MachineEvent> = fc.oneof(
  fc
    .record({
      readAt: fc.integer({ min: 1, max: 60 }),
      act: fc.option(fc.integer({ min: 1, max: 60 })),
      triggered: mostly,
      open: mostly,
    })
    .map(({ readAt, act, triggered, open }) =>
      observed({
        readAt: readAt * SECOND,
        open,
        closedAt: open ? null : readAt * SECOND,
        triggered: triggered || act !== null,
        trigger: act === null || !open ? null : trigger(Math.min(act, readAt) * SECOND),
      }),
    ),
  fc.record({ readAt: fc.integer({ min: 1, max: 60 }), open: mostly }).map(({ readAt, open }) =>
    observed({
      readAt: readAt * SECOND,
      prs: [{ number: 13, open, merged: false, closedAt: open ? null : readAt * SECOND }],
    }),
  ),
  // A close and an act, in whichever order, of which nothing was seen before.
  fc
    .record({
      closed: fc.integer({ min: 1, max: 60 }),
      act: fc.integer({ min: 1, max: 60 }),
      agent: fc.constantFrom('implementer', 'implementer', 'other'),
      isIssue: fc.boolean(),
    })
    .map(({ closed, act, agent, isIssue }) => {
      const closedAt = closed * SECOND;
      return observed({
        readAt: Math.max(closed, act) * SECOND,
        closedAt: isIssue ? closedAt : null,
        trigger: trigger(act * SECOND, { agent }),
        prs: isIssue ? [] : [{ number: 13, open: false, merged: false, closedAt }],
      });
    }),
);

const proposals: fc.Arbitrary<MachineEvent> = fc
  .record({
    id: fc.constantFrom('p1', 'p2', 'p3'),
    what: fc.constantFrom('proposed', 'approved', 'rejected', 'applied', 'failed', 'unbuilt', 'told'),
  })
  .map(({ id, what }): MachineEvent => {
    switch (what) {
      case 'proposed':
        return {
          kind: 'proposed',
          id,
          tool: id === 'p3' ? 'capability-block' : 'pipelock-block',
          ref: `shown-${id}`,
          turn: 1,
          at: 1,
        };
      case 'applied':
        return { kind: 'change_applied', id };
      case 'failed':
        return { kind: 'change_failed', id, reason: 'x' };
      case 'unbuilt':
        return { kind: 'build_failed', id, reasonRef: 'why' };
      case 'told':
        return { kind: 'proposal_told', id };
      default: {
        const ref = what === 'approved' ? `shown-${id}` : null;
        return { kind: 'decided', id, status: what, by: 'ann@desk', at: 1, ref, notesRef: null };
      }
    }
  });

const operator = fc.constantFrom<MachineEvent>(
  { kind: 'settings', policy: { ...DEFAULT_POLICY, nudges: 0, wakesPerHour: 3 } },
  { kind: 'paused', reason: 'paused' },
  { kind: 'unpaused' },
  { kind: 'unserved', why: 'it is elsewhere' },
  command({ kind: 'freeze' }),
  command({ kind: 'resume', promptRef: null }),
  command({ kind: 'done', status: 'success' }),
  command({ kind: 'extend', ms: 1000 }),
  command({ ...MORE, turns: 2, tokens: 500 }),
  command({ ...MORE, dayEnds: 80 * SECOND }),
  { kind: 'history_full' },
  command({ kind: 'move' }),
);

/** What ends a life at once: rare. */
const ends = fc.constantFrom<MachineEvent>(command({ kind: 'destroy' }), {
  kind: 'lost',
  readAt: OPERATOR_AT,
  why: 'gone',
});

export const outside: fc.Arbitrary<Act> = fc
  .oneof(
    { weight: 20, arbitrary: people },
    { weight: 20, arbitrary: checks },
    { weight: 30, arbitrary: forge },
    { weight: 30, arbitrary: operator },
    { weight: 15, arbitrary: proposals },
    { weight: 1, arbitrary: ends },
  )
  .map((event) => ({ kind: 'outside', event }));

export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: outside },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(99), how: fc.nat(29) }),
  },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'sweep' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('silent' as const, 'back' as const, 'left' as const)
      .map((how) => ({ kind: 'host' as const, how })),
  },
  { weight: 1, arbitrary: fc.nat(99).map((which) => ({ kind: 'late' as const, which })) },
);

function host(world: World, how: 'silent' | 'back' | 'left'): void {
  const { life } = world.state;
  if (life === null) return;
  const turn = life.turn.number;
  if (how === 'back') return void world.feed({ kind: 'host_back', turn });
  world.feed({ kind: 'host_silent', turn, since: world.now });
  if (how === 'left') world.feed(command({ kind: 'move' }));
}

function late(world: World, which: number): void {
  const one = world.left[which % world.left.length];
  const { life } = world.state;
  if (one === undefined || life === null) return;
  const { turn } = one;
  const news: readonly MachineEvent[] = [
    { kind: 'turn_started', slug: life.slug, turn, at: world.now },
    { kind: 'signal_done', slug: life.slug, turn, done },
    { kind: 'turn_lost', turn, reason: null },
    { kind: 'turn_finished', turn, result: turnResult({ done, offers: OFFERS }) },
    { kind: 'settled', turn, settled: settledTurn() },
    { kind: 'step_failed', step: one.what, turn, reason: 'x' },
    { kind: 'host_silent', turn, since: world.now },
  ];
  const event = news[which % news.length];
  if (event === undefined || life.turn.number === turn) return;
  const before = JSON.stringify(world.state);
  world.feed(event);
  assert.equal(JSON.stringify(world.state), before, `${event.kind} of a turn that was left changed the run`);
}

/** What people said in an act, if they did: what fails is read anew, and need not be kept. */
export function broughtBy(next: Act): readonly WakeReference[] {
  const brought = next.kind === 'outside' && next.event.kind === 'references' ? next.event.references : [];
  return brought.filter(({ kind }) => kind !== 'checks');
}

/** Comments that an act says are gone from the forge. */
export function withdrawnBy(next: Act): readonly number[] {
  return next.kind === 'outside' && next.event.kind === 'references' ? next.event.withdrawn : [];
}

export function perform(world: World, next: Act): void {
  world.now += 1;
  switch (next.kind) {
    case 'outside':
      return void world.feed(next.event);
    case 'sweep':
      return void world.feed({ kind: 'archive', slug: world.state.life?.slug ?? 'none' });
    case 'host':
      return host(world, next.how);
    case 'late':
      return late(world, next.which);
    case 'answer': {
      const underWay = underWayIn(world);
      const what = underWay[next.which % underWay.length];
      return what === undefined ? undefined : answer(world, what, next.how);
    }
  }
}

export type UnderWay =
  'claim' | 'prepare' | 'run' | 'settle' | 'archive' | 'destroy' | 'checkin' | 'watchdog' | 'resume';

export function underWayIn({ owed, checkins }: World): UnderWay[] {
  return [...owed.keys(), ...(checkins.length > 0 ? (['checkin'] as const) : [])];
}

/** @param how 0 to 29; the lowest are the good ends */
export function answer(world: World, what: UnderWay, how: number): void {
  const { number: turn } = world.turn;
  switch (what) {
    case 'claim':
      return how < 27 ? void world.claimed('h', how) : void world.fail(what);
    case 'prepare':
      if (how === 28) return void world.fail(what);
      // What is gone from the forge need not be told.
      if (how === NOTHING_LEFT) world.delivered.push(...world.turn.taken.map(({ key }) => key));
      return void world.prepareEnds(preparedAs(how, world.now));
    case 'run':
      return runAnswer(world, how);
    case 'settle':
      if (how === 29) return void world.fail('settle');
      return void world.settle(SETTLED[how % SETTLED.length]);
    case 'archive':
      if (how < 25) return world.archived();
      world.pay('archive');
      return void world.feed({ kind: 'archive_ended', failure: 'x' });
    case 'destroy':
      return how < 27 ? world.destroyed() : void world.fail('destroy');
    case 'checkin':
      return void world.answerCheckin(how === 29 ? null : (how % 10) * 500_000);
    case 'watchdog':
      world.pay('watchdog');
      return void world.feed({ kind: 'watchdog_fired', turn });
    case 'resume':
      return void world.due();
  }
}

const NOTHING_LEFT = 23;

function preparedAs(how: number, now: number): PrepareTurnOutcome {
  switch (how) {
    case NOTHING_LEFT:
      return { kind: 'nothing_left' };
    case 24:
      return {
        kind: 'moved',
        place: { repoId: 7, owner: 'alice', repo: now % 2 === 0 ? 'demo' : 'moved' },
      };
    case 25:
      return { kind: 'refused', reason: 'gone' };
    case 26:
      return { kind: 'over_budget', reason: 'spent', until: now + 60 * SECOND };
    case 27:
      return { kind: 'paused', reason: 'paused' };
    default:
      return { kind: 'ready', prepared: PREPARED };
  }
}

/** The agent starts, says that it is done, is lost sight of, or exits: with or without the news of its start. */
function runAnswer(world: World, how: number): void {
  const { slug } = world.life;
  const { number: turn } = world.turn;
  if (how < 8) return world.started();
  if (how === 8) return void world.feed({ kind: 'signal_done', slug, turn, done });
  if (how === 9) return void world.feed({ kind: 'turn_held_up', slug, turn, reason: 'x' });
  if (how < 12) {
    world.pay('run');
    return void world.feed({ kind: 'turn_lost', turn, reason: how === 10 ? null : 'x' });
  }
  if (how === 12) return void world.fail('run');
  if (how > 13) world.started();
  world.finish(ENDINGS[how % ENDINGS.length]);
}

const cut = (stopped: StopReason): Partial<TurnResult> => ({ exitCode: 143, stopped });

/** How a turn may end. */
const ENDINGS: readonly Partial<TurnResult>[] = [
  { done },
  { done, model: modelReport(30, 1) },
  { done: { ...done, status: 'blocked' } },
  { done: { ...done, status: 'failed' } },
  {},
  { exitCode: 1 },
  { exitCode: 137, agent: agentReport('crashed') },
  { exitCode: CONTAINER_GONE, agent: agentReport('empty') },
  cut('watchdog'),
  cut('timeout'),
  cut('sidecar_died'),
  cut('queue_flood'),
  cut('disk'),
  { model: modelReport(5, 0, { kind: 'limited', until: 90 * SECOND }) },
  { model: modelReport(5, 0, { kind: 'overloaded', status: 529 }), agent: agentReport('provider') },
  { ...cut('budget'), model: modelReport(5, 0, { kind: 'over_budget', what: 'tokens' }) },
  { exitCode: 1, agent: agentReport('unknown_session') },
  { exitCode: 1, agent: agentReport('context_full') },
  { exitCode: 1, agent: agentReport('crashed') },
  { agent: agentReport('empty') },
  { exitCode: 1, limit: { kind: 'memory', detail: 'x' } },
  { exitCode: 1, setAside: 'it ended the worker twice' },
];

const SETTLED: readonly Parameters<World['settle']>[0][] = [
  {},
  { publish: PUBLISHED },
  { publish: { kind: 'refused', reason: 'CI file' } },
  { uncommitted: 1, uncommittedRef: 'u' },
  { stuck: true, stuckHash: 'x' },
];
