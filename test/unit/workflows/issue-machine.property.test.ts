import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MachineEvent } from '../../../src/domain/events.js';
import type { TurnResult } from '../../../src/domain/turn.js';
import {
  agentReport,
  comment,
  modelReport,
  observed,
  PREPARED,
  trigger,
  World,
  wrote,
} from '../../support/machine/world.js';

/** One thing that may happen next: from outside, or an answer to what the machine asked for. */
type Act =
  | {
      readonly kind: 'pay';
      readonly what:
        | 'claim'
        | 'prepare'
        | 'start'
        | 'finish'
        | 'settle'
        | 'archive'
        | 'destroy'
        | 'checkin'
        | 'watchdog'
        | 'resume';
      readonly flavour: number;
    }
  | { readonly kind: 'outside'; readonly event: MachineEvent }
  | { readonly kind: 'lose' | 'hold_up' }
  /** The sweeper asks for the containers of whatever life there is. */
  | { readonly kind: 'sweep' }
  | { readonly kind: 'fail'; readonly step: 'claim' | 'prepare' | 'run' | 'settle' };

/** The forge's clock has whole seconds. */
const SECOND = 1_000;

/** Mostly yes, so that lives last long enough for something to happen in them. */
const mostly = fc.integer({ min: 0, max: 11 }).map((dice) => dice > 0);

const outside: fc.Arbitrary<Act> = fc
  .oneof(
    fc.integer({ min: 1, max: 12 }).map((id): MachineEvent => wrote(comment(id))),
    fc
      .record({
        readAt: fc.integer({ min: 1, max: 60 }),
        act: fc.option(fc.integer({ min: 1, max: 60 })),
        triggered: mostly,
        open: mostly,
      })
      .map(({ readAt, act, triggered, open }): MachineEvent =>
        observed({
          readAt: readAt * SECOND,
          open,
          closedAt: open ? null : readAt * SECOND,
          triggered: triggered || act !== null,
          trigger: act === null || !open ? null : trigger(Math.min(act, readAt) * SECOND),
        }),
      ),
    fc
      .record({ readAt: fc.integer({ min: 1, max: 60 }), open: mostly })
      .map(({ readAt, open }): MachineEvent =>
        observed({
          readAt: readAt * SECOND,
          prs: [{ number: 13, open, merged: false, closedAt: open ? null : readAt * SECOND }],
        }),
      ),
    fc.constantFrom<MachineEvent>(
      { kind: 'paused', reason: 'paused' },
      { kind: 'unpaused' },
      { kind: 'command', command: { kind: 'freeze' }, at: 70 * SECOND },
      { kind: 'command', command: { kind: 'resume', promptRef: null }, at: 70 * SECOND },
      { kind: 'command', command: { kind: 'destroy' }, at: 70 * SECOND },
      { kind: 'command', command: { kind: 'done', status: 'success' }, at: 70 * SECOND },
      { kind: 'command', command: { kind: 'extend', ms: 1000 }, at: 70 * SECOND },
      {
        kind: 'command',
        command: { kind: 'budget', turns: 2, tokens: 500, microUsd: 0, dayEnds: null },
        at: 70 * SECOND,
      },
      {
        kind: 'command',
        command: { kind: 'budget', turns: 0, tokens: 0, microUsd: 0, dayEnds: 80 * SECOND },
        at: 70 * SECOND,
      },
    ),
  )
  .map((event) => ({ kind: 'outside', event }));

const pay: fc.Arbitrary<Act> = fc.record({
  kind: fc.constant('pay' as const),
  what: fc.constantFrom(
    'claim',
    'prepare',
    'start',
    'finish',
    'settle',
    'archive',
    'destroy',
    'checkin',
    'watchdog',
    'resume',
  ),
  flavour: fc.integer({ min: 0, max: 9 }),
});

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: outside },
  { weight: 6, arbitrary: pay },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ kind: 'lose' }, { kind: 'hold_up' }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'sweep' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>(
      { kind: 'fail', step: 'claim' },
      { kind: 'fail', step: 'prepare' },
      { kind: 'fail', step: 'run' },
      { kind: 'fail', step: 'settle' },
    ),
  },
);

const done = { id: 'd', status: 'success', summaryRef: 'r' } as const;

/** How a turn may end beside `signal_done` and its absence, by flavour. */
const endings: Readonly<Record<number, Partial<TurnResult>>> = {
  4: { model: modelReport(300, 1) },
  6: { model: modelReport(5, 0, { kind: 'limited', until: 90 * SECOND }) },
  7: { model: modelReport(5, 0, { kind: 'overloaded', status: 529 }), agent: agentReport('provider') },
  8: { model: modelReport(5, 0, { kind: 'over_budget', what: 'tokens' }), stopped: 'budget' },
  9: { exitCode: 1, agent: agentReport('unknown_session') },
};

function perform(world: World, next: Act): void {
  const { turn } = world.state;
  world.now += 1;
  switch (next.kind) {
    case 'outside':
      world.feed(next.event);
      return;
    case 'sweep':
      world.feed({ kind: 'archive', slug: world.state.life?.slug ?? 'none' });
      return;
    case 'lose':
      if (world.pay('run')) world.feed({ kind: 'turn_lost', turn, reason: null });
      return;
    case 'hold_up':
      if (world.owed.has('run'))
        world.feed({ kind: 'turn_held_up', slug: world.state.life?.slug ?? '', turn, reason: 'x' });
      return;
    case 'fail':
      if (world.pay(next.step)) world.feed({ kind: 'step_failed', step: next.step, turn, reason: 'x' });
      return;
    case 'pay':
      return settleDebt(world, next.what, next.flavour);
  }
}

function settleDebt(world: World, what: Extract<Act, { kind: 'pay' }>['what'], flavour: number): void {
  const { turn } = world.state;
  switch (what) {
    case 'claim':
      if (world.pay('claim')) world.feed({ kind: 'host_claimed', host: 'h' });
      return;
    case 'prepare':
      if (!world.pay('prepare')) return;
      if (flavour === 5) world.feed({ kind: 'prepare_refused', turn, reason: 'gone', stale: false });
      else if (flavour === 6)
        world.feed({ kind: 'over_budget', turn, reason: 'spent', until: world.now + 60 * SECOND });
      else if (flavour === 7) world.feed({ kind: 'met_pause', turn, reason: 'paused' });
      else world.feed({ kind: 'prepared', turn, prepared: PREPARED });
      return;
    case 'start':
      if (world.owed.has('run')) world.started();
      return;
    case 'finish':
      if (!world.owed.has('run')) return;
      if (flavour > 0) world.started();
      return world.finish({
        exitCode: flavour === 1 ? 1 : 0,
        done: flavour > 2 && flavour < 6 ? done : null,
        ...endings[flavour],
      });
    case 'settle':
      if (!world.owed.has('settle')) return;
      return world.settle(
        flavour > 2 ? { publish: { kind: 'published', pr: 13, prUrl: 'u', head: 'h', created: true } } : {},
      );
    case 'resume':
      if (world.owed.has('resume')) world.due();
      return;
    case 'archive':
      if (!world.owed.has('archive')) return;
      if (flavour > 1) return world.archived();
      world.pay('archive');
      world.feed({ kind: 'archive_failed', reason: 'x' });
      return;
    case 'destroy':
      if (world.owed.has('destroy')) world.destroyed();
      return;
    case 'checkin':
      return void world.answerCheckin(flavour * 500_000);
    case 'watchdog':
      if (world.pay('watchdog')) world.feed({ kind: 'watchdog_fired', turn });
      return;
  }
}

describe('issue machine, any order and any duplication', () => {
  it('keeps one activity in flight, runs no turn twice and never changes the state it was given', () => {
    // The world asserts these on every command it takes.
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120, size: 'max' }), (acts) => {
        const world = new World();
        for (const next of acts) perform(world, next);
        assert.equal(new Set(world.ran).size, world.ran.length);
      }),
      { numRuns: 10_000 },
    );
  });

  it('loses no comment: each is in a started prompt or still waiting while the life goes on', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120, size: 'max' }), (acts) => {
        const world = new World();
        const accepted = new Set<string>();
        let slug: string | undefined;
        for (const next of acts) {
          const before = world.state;
          perform(world, next);
          const { life, closing, mailbox, taken } = world.state;
          if (life?.slug !== slug) accepted.clear();
          slug = life?.slug;
          if (life === null || closing !== null) continue;
          if (next.kind === 'outside' && next.event.kind === 'references') {
            for (const { key } of next.event.references) if (!before.seen.includes(key)) accepted.add(key);
          }
          const waiting = [...mailbox, ...taken].map((reference) => reference.key);
          for (const key of accepted)
            assert.ok(world.delivered.includes(key) || waiting.includes(key), `${key} was lost`);
          assert.equal(new Set(waiting).size, waiting.length, 'a comment waits once');
        }
      }),
      { numRuns: 10_000 },
    );
  });

  it('leaves destroyed only through a trigger act later than the end', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 80, size: 'max' }), fc.array(outside, { maxLength: 40, size: 'max' }), (acts, late) => {
        const world = new World();
        for (const next of acts) perform(world, next);
        if (world.state.phase !== 'destroyed') return;
        const { endedAt } = world.state;
        const before = world.commands.length;
        for (const next of late) perform(world, next);
        assert.equal(world.state.phase, 'destroyed');
        assert.equal(world.commands.length, before, 'a destroyed run wants nothing done');
        const pending = world.state.pendingTrigger;
        if (pending !== null) assert.ok(pending.actAt + SECOND > endedAt);
      }),
      { numRuns: 10_000 },
    );
  });

  it('fires the watchdog exactly once a turn', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 100, size: 'max' }), (acts) => {
        const world = new World();
        const fired = new Map<string, number>();
        for (const next of acts) {
          const before = world.state.watchdogFired;
          perform(world, next);
          if (!before && world.state.watchdogFired) {
            const key = `${world.state.life?.slug ?? ''}/${String(world.state.turn)}`;
            fired.set(key, (fired.get(key) ?? 0) + 1);
          }
        }
        for (const times of fired.values()) assert.equal(times, 1);
      }),
      { numRuns: 10_000 },
    );
  });

  it('always reaches an end once its activities answer and the issue is closed', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 100, size: 'max' }), (acts) => {
        const world = new World();
        for (const next of acts) perform(world, next);
        world.feed(
          observed({
            readAt: 1_000_000,
            open: false,
            closedAt: 999_000,
            prs: [{ number: 13, open: false, merged: true, closedAt: 999_000 }],
          }),
        );
        for (let round = 0; round < 12 && world.owed.size > 0; round += 1) {
          for (const what of ['claim', 'prepare', 'start', 'finish', 'settle', 'archive', 'destroy'] as const)
            settleDebt(world, what, 2);
        }
        assert.ok(world.state.phase === 'idle' || world.state.phase === 'destroyed', world.state.phase);
      }),
      { numRuns: 10_000 },
    );
  });
});
