import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  act,
  answer,
  broughtBy,
  outside,
  perform,
  underWayIn,
  withdrawnBy,
  type Act,
} from '../../../support/machine/acts.js';
import { observed, POLICY, World } from '../../../support/machine/world.js';
import { plays } from '../../../support/scale/plays.js';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { CONTAINER_GONE } from '../../../../src/domain/run/turn.js';
import { livingOf } from '../../../../src/workflows/run/phase.js';

const PLAYS = plays(3_000);
/** The forge's clock has whole seconds. */
const SECOND = 1_000;
const ROOMY = { ...POLICY, budget: { turns: 60, tokens: 100_000, microUsd: 90_000_000 }, wakesPerHour: 40 };

/** Looks at the world after each act, and at what the machine wanted then. */
type Watch = (world: World, before: World['state'], wanted: readonly MachineCommand[], next: Act) => void;

/** Each comment is in the prompt of an agent that has it, or waits, as long as the life goes on. */
function noCommentIsLost(): Watch {
  const accepted = new Set<string>();
  let slug: string | undefined;
  return (world, before, _, next) => {
    const { life } = world.state;
    if (life?.slug !== slug) accepted.clear();
    slug = life?.slug;
    if (livingOf(world.state) === null || life?.closing !== null) return;
    for (const { key } of broughtBy(next)) if (!before.seen.includes(key)) accepted.add(key);
    for (const id of withdrawnBy(next)) accepted.delete(`comment:${String(id)}:x`);
    const waiting = [...life.mailbox.waiting, ...life.turn.taken].map(({ key }) => key);
    for (const key of accepted)
      assert.ok(world.delivered.includes(key) || waiting.includes(key), `${key} was lost`);
    assert.equal(new Set(waiting).size, waiting.length, 'a comment waits once');
  };
}

function watchdogFiresOnceATurn(): Watch {
  const fired = new Set<string>();
  return (world, before) => {
    const { life } = world.state;
    if (life?.turn.watchdogFired !== true) return;
    if (before.life?.turn.watchdogFired === true && before.life.turn.number === life.turn.number) return;
    const key = `${life.slug}/${String(life.turn.number)}`;
    assert.ok(!fired.has(key), `the watchdog fired twice in ${key}`);
    fired.add(key);
  };
}

/** An ended life wants nothing, and only a later trigger act begins another. */
function destroyedStaysSo(): Watch {
  return (world, before, wanted) => {
    if (before.life?.stage.kind !== 'destroyed') return;
    assert.equal(world.phase, 'destroyed');
    assert.deepEqual(wanted, [], 'a destroyed run wants nothing done');
    const { pendingTrigger, endedAt } = world.state;
    if (pendingTrigger !== null) assert.ok(pendingTrigger.actAt + SECOND > endedAt);
  };
}

/** Its last open pull request is seen to be closed: whatever else is seen with it, and however late. */
function whatIsClosedEnds(): Watch {
  return (world, { life }, _, next) => {
    if (next.kind !== 'outside' || next.event.kind !== 'observed') return;
    const { prs, readAt, trigger } = next.event;
    if (life === null || life.stage.kind === 'destroyed' || life.closing !== null) return;
    const [last, ...others] = life.prs.filter(({ open }) => open);
    if (last === undefined || others.length > 0 || last.readAt > readAt) return;
    const closedAt = prs.find(({ number, open }) => number === last.number && !open)?.closedAt ?? 0;
    if (closedAt <= life.trigger.actAt) return;
    assert.notEqual(world.life.closing, null, 'it outlives its pull request');
    closes += trigger === null ? 0 : 1;
  };
}
let closes = 0;

/** Once it is to end, no turn begins. */
function nothingBeginsAfterTheClose(): Watch {
  return (_, before, wanted) => {
    if (typeof before.life?.closing?.at !== 'number') return;
    const begun = wanted.filter(({ kind }) => kind === 'run_turn' || kind === 'prepare_turn');
    assert.deepEqual(begun, [], 'it begins what it has to end');
  };
}

/** However often they fail: three wakes in a row, each of what the run itself pushed, then a person's turn. */
function checksWakeThriceInARow(): Watch {
  let inARow = 0;
  let slug: string | undefined;
  return (world, before, wanted) => {
    const { life } = world.state;
    if (life?.slug !== slug) inARow = 0;
    slug = life?.slug;
    const isAskedFor = wanted.some(({ kind }) => kind === 'prepare_turn' || kind === 'claim_host');
    if (life !== null && isAskedFor && before.life?.turn.number !== life.turn.number) {
      const { cause, taken: references } = life.turn;
      const isOfChecks = references.length > 0 && references.every(({ kind }) => kind === 'checks');
      for (const ref of references)
        if (ref.kind === 'checks') assert.equal(ref.sha, life.work.pushed, 'somebody else’s commit');
      // The same turn once more: it waited, or came to nothing.
      const { stage, turn } = before.life ?? {};
      const told = [
        ...(turn?.taken ?? []),
        ...(turn?.given ?? []),
        ...(isStoppedUnbegun(before) ? (before.life?.mailbox.waiting ?? []) : []),
      ].filter(({ kind }) => kind === 'checks');
      const waited =
        stage?.kind === 'frozen'
          ? stage.deferred !== null
          : told.some(({ sha }) => references.some((ref) => ref.sha === sha));
      if (cause.kind === 'wake' && isOfChecks && !waited) inARow += 1;
      else if (
        cause.kind === 'operator' ||
        cause.kind === 'decision' ||
        cause.kind === 'retriggered' ||
        (references.length > 0 && !isOfChecks)
      )
        inARow = 0;
      assert.ok(inARow <= 3, `checks woke it ${String(inARow)} times in a row`);
    }
    // What woke it was mended meanwhile: no agent ran.
    const { turn } = before.life ?? {};
    const wasOfChecks = turn?.cause.kind === 'wake' && turn.taken.some(({ kind }) => kind === 'checks');
    if (wasOfChecks && life?.turn.number === turn.number && life.checkWakes < (before.life?.checkWakes ?? 0))
      inARow -= 1;
  };
}

/** What the turn was told went back before it is over, and it begins once more. */
function isStoppedUnbegun({ life }: World['state']): boolean {
  if (life?.stage.kind !== 'settling' || life.stage.begun) return false;
  return life.turn.cause.kind === 'wake' && (life.turn.stop === 'history' || life.turn.stop === 'pause');
}

/** What goes on with an interrupted turn is never itself gone on with, and what that turn was told is told once more. */
function interruptedOnce(): Watch {
  return (world, before, wanted, next) => {
    const turn = world.state.life?.turn;
    const last = before.life;
    if (turn?.cause.kind !== 'interrupted' || last === null || last.turn.number === turn.number) return;
    // A move begins the turn anew elsewhere, whatever it was for.
    const isMove = wanted.some(({ kind }) => kind === 'leave_host');
    if (last.stage.kind !== 'settling' || isMove) return;
    assert.deepEqual([next.kind, last.closing], ['answer', null]);
    assert.ok(wanted.some(({ kind }) => kind === 'prepare_turn'));
    if (last.turn.cause.kind === 'interrupted') {
      // Held back by a pause, or without its session: not interrupted again.
      const { exitCode } = last.stage.result;
      const isOurs = last.turn.stop !== null;
      assert.ok(isOurs || (exitCode !== 137 && exitCode !== CONTAINER_GONE), 'gone on with twice');
      assert.deepEqual(turn.cause, last.turn.cause);
    } else {
      interruptions += 1;
      assert.equal(last.turn.stop, null);
      assert.deepEqual(turn.cause.of, last.turn.cause);
    }
    const told = turn.taken.filter(({ again }) => again === true).map(({ key }) => key);
    // Checks of a head that is not the latest any more are nobody's concern.
    for (const { key, kind } of last.turn.given)
      assert.ok(kind === 'checks' || told.includes(key), `${key} is not told once more`);
  };
}
let interruptions = 0;

/** Until the operator resumes the run, or somebody asks for it anew. */
function aFreezeHolds(): Watch {
  let isFrozen = false;
  let slug: string | undefined;
  return (world, before, wanted) => {
    const { life, lastTrigger } = world.state;
    const commands = wanted.flatMap((one) => (one.kind === 'record_command' ? [one.act.kind] : []));
    if (life?.slug !== slug || lastTrigger !== before.lastTrigger) isFrozen = false;
    slug = life?.slug;
    if (commands.includes('resume')) isFrozen = false;
    if (commands.includes('freeze')) isFrozen = true;
    if (!isFrozen) return;
    assert.equal(life?.turn.number, before.life?.turn.number, 'a turn of a run that the operator froze');
    freezes += life?.stage.kind === 'frozen' ? 1 : 0;
  };
}
let freezes = 0;

const WATCHES = [
  aFreezeHolds,
  checksWakeThriceInARow,
  noCommentIsLost,
  watchdogFiresOnceATurn,
  destroyedStaysSo,
  whatIsClosedEnds,
  nothingBeginsAfterTheClose,
  interruptedOnce,
];

const play = fc.record({
  acts: fc.array(act, { minLength: 60, maxLength: 150, size: 'max' }),
  late: fc.array(outside, { maxLength: 20, size: 'max' }),
  /** Whether what is under way at the close fails. */
  fails: fc.boolean(),
});

/** The issue is closed, and what is under way answers, or fails. */
function end(world: World, fails: boolean): void {
  const pr = { number: 13, open: false, merged: true, closedAt: 999_000 };
  world.feed(observed({ readAt: 1_000_000, open: false, closedAt: 999_000, prs: [pr] }));
  for (let round = 0; round < 30 && world.owed.size > 0; round += 1) {
    for (const what of underWayIn(world)) {
      if (fails && (what === 'claim' || what === 'prepare' || what === 'run' || what === 'settle'))
        world.fail(what);
      else if (what === 'run') world.finish();
      else if (what !== 'checkin') answer(world, what, 0);
    }
  }
  assert.ok(world.phase === 'idle' || world.phase === 'destroyed', `never ends: ${world.phase}`);
}

describe('a run, whatever happens in whatever order', () => {
  it('has one thing under way, runs no turn twice, loses no comment and comes to its end', function () {
    this.timeout(300_000);
    const lengths: number[] = [];
    const stages = new Set<string>();
    fc.assert(
      fc.property(play, ({ acts, late, fails }) => {
        // The world asserts on every command that it can be carried out beside what is under way.
        const world = new World(ROOMY);
        const watches = WATCHES.map((watch) => watch());
        const go = (next: Act): void => {
          const before = world.state;
          const had = world.commands.length;
          perform(world, next);
          for (const watch of watches) watch(world, before, world.commands.slice(had), next);
          stages.add(world.phase);
        };
        for (const next of acts) {
          if (world.state.pendingTrigger !== null && world.phase === 'destroyed')
            world.continueIntoNextLife();
          go(next);
        }
        lengths.push(world.fed);
        assert.equal(new Set(world.ran).size, world.ran.length, 'a turn was run twice');
        end(world, fails);
        for (const next of late) if (world.phase === 'destroyed') go(next);
      }),
      { numRuns: PLAYS },
    );
    const median = lengths.sort((a, b) => a - b)[lengths.length / 2] ?? 0;
    assert.ok(median >= 40, `the median play has ${String(median)} events`);
    assert.ok(interruptions > PLAYS / 100, `only ${String(interruptions)} turns were interrupted`);
    assert.ok(closes > PLAYS / 100, `only ${String(closes)} closes were seen together with a trigger`);
    assert.ok(freezes > PLAYS, `only ${String(freezes)} events found a run that the operator froze`);
    assert.equal(stages.size, 9, `only ${[...stages].join(', ')}`);
  });
});
