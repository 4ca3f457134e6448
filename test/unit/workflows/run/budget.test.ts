import assert from 'node:assert/strict';
import type { OperatorCommand } from '../../../../src/domain/run/events.js';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { budgetOfTurn } from '../../../../src/workflows/run/budget.js';
import {
  agentReport,
  comment,
  done,
  ids,
  kinds,
  modelReport,
  observed,
  POLICY,
  PREPARED,
  trigger,
  World,
  wrote,
} from '../../../support/machine/world.js';

/** A turn whose model was refused after a thousand tokens. */
const REFUSED_AT_1000 = {
  exitCode: 1,
  stopped: 'budget',
  model: modelReport(1_000, 0, { kind: 'over_budget', what: 'tokens' }),
} as const;
const MORE = { kind: 'budget', turns: 0, tokens: 0, microUsd: 0, dayEnds: null } as const;

function command(world: World, asked: OperatorCommand): MachineCommand[] {
  assert.equal(refusalOf(world.state, asked), null);
  return world.command(asked);
}

describe('the budget of a run', () => {
  it('adds up what its turns used, as metered, and what is left is what the next may use', () => {
    const world = World.triggered();
    world.liveTurn({ done, model: modelReport(300, 1) });
    world.feed(wrote(comment(1)));
    world.liveTurn({ done, model: modelReport(200, 2) });
    assert.deepEqual(world.life.budget.spent, { turns: 2, tokens: 500, microUsd: 3_000_000 });
    assert.deepEqual(budgetOfTurn(world.life.budget, POLICY.budget, PREPARED), {
      tokens: 500,
      microUsd: 2_000_000,
    });
  });

  it('is the day’s where that leaves less', () => {
    const world = World.triggered();
    world.start({ budget: { tokens: 70, microUsd: 9_000_000 } });
    assert.deepEqual(world.atWork.budget, { tokens: 70, microUsd: 5_000_000 });
  });

  for (const [what, model, policy] of [
    ['turns', modelReport(1), { ...POLICY, budget: { ...POLICY.budget, turns: 1 } }],
    ['tokens', modelReport(1_000), POLICY],
    ['money', modelReport(1, 5), POLICY],
  ] as const) {
    it(`begins no turn once its ${what} are used up, and keeps what people write`, () => {
      const world = World.triggered(policy);
      world.liveTurn({ done, model });
      assert.equal(world.reason, 'done');
      assert.deepEqual(kinds(world.feed(wrote(comment(1)))), ['record_state', 'tell_frozen']);
      assert.equal(world.reason, 'budget');
      assert.match(world.life.detail ?? '', /budget is used up: /);
      world.feed(wrote(comment(2)));
      assert.equal(world.life.mailbox.waiting.length, 2);
      assert.match(refusalOf(world.state, { kind: 'resume', promptRef: null }) ?? '', /signal <run> budget/);
    });
  }

  it('is raised by the operator, and then the turn that waited begins with all that came', () => {
    const world = World.triggered();
    world.liveTurn({ done, model: modelReport(1_000) });
    world.feed(wrote(comment(1)));
    world.feed(wrote(comment(2)));
    assert.deepEqual(command(world, { ...MORE, turns: 5 }), [], 'tokens are what is missing');
    const begun = command(world, { ...MORE, tokens: 400 });
    assert.deepEqual(kinds(begun), ['prepare_turn']);
    const { cause, references } = world.preparing;
    assert.deepEqual([cause.kind, ids(references), world.turn.wokenFrom], ['wake', [1, 2], 'done']);
  });

  it('ends the turn that has used it up, without a nudge, and goes on when raised', () => {
    const world = World.triggered();
    world.liveTurn(REFUSED_AT_1000);
    assert.equal(world.reason, 'budget');
    assert.equal(world.life.lastTurn?.reason, 'budget');
    assert.equal(world.life.detail, "the run's budget is used up: 1000 of 1000 tokens");
    command(world, { ...MORE, tokens: 1_000 });
    assert.equal(world.preparing.cause.kind, 'operator');
  });

  it('goes on at once after a turn that still had the limit from before it was raised', () => {
    const world = World.triggered();
    world.start();
    command(world, { ...MORE, tokens: 5_000 });
    world.feed(wrote(comment(1)));
    world.endTurn(REFUSED_AT_1000);
    assert.deepEqual([world.preparing.cause.kind, ids(world.preparing.references)], ['limit_over', [1]]);
    world.start();
    assert.equal(world.atWork.budget.tokens, 5_000);
  });

  it('is no reason to go on for a turn that the operator froze', () => {
    const world = World.triggered();
    world.start();
    command(world, { ...MORE, tokens: 5_000 });
    command(world, { kind: 'freeze' });
    world.endTurn(REFUSED_AT_1000);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'paused']);
  });

  it('is used up in the end by turns that are refused their model at once', () => {
    const world = World.triggered();
    const model = modelReport(0, 0, { kind: 'over_budget', what: 'tokens' });
    for (let turn = 1; turn <= POLICY.budget.turns; turn += 1) world.liveTurn({ exitCode: 1, model });
    assert.deepEqual([world.phase, world.reason], ['frozen', 'budget']);
    assert.match(world.life.detail ?? '', /20 of 20 turns/);
  });

  it('begins anew with a new life', () => {
    const world = World.triggered();
    world.liveTurn({ done, model: modelReport(900) });
    world.feed(observed({ readAt: 2_000, open: false, closedAt: 2_000 }));
    world.destroyed();
    world.feed(observed({ readAt: 9_000, trigger: trigger(8_000) }));
    world.continueIntoNextLife();
    assert.deepEqual(world.life.budget.spent, { turns: 0, tokens: 0, microUsd: 0 });
  });
});

describe('the budget of a day', () => {
  function spent(world: World): void {
    if (world.owed.has('claim')) world.claimed();
    world.prepareEnds({ kind: 'over_budget', reason: 'spent', until: 5_000_000 });
  }

  it('holds a turn up until the day ends, and then it begins for what it was for', () => {
    const world = World.woken();
    spent(world);
    assert.deepEqual([world.reason, world.life.detail], ['budget', 'spent']);
    assert.equal(world.life.mailbox.waiting.length, 1);
    world.due();
    assert.deepEqual([world.preparing.cause.kind, world.preparing.references.length], ['wake', 1]);
  });

  it('lets the run go on when the day ends, after a turn that used up what was left of it', () => {
    const world = World.triggered();
    world.start({ budget: { tokens: 70, microUsd: null } });
    const model = modelReport(70, 0, { kind: 'over_budget', what: 'tokens' });
    world.endTurn({ exitCode: 1, stopped: 'budget', agent: agentReport('provider'), model });
    spent(world);
    assert.deepEqual([world.reason, world.life.detail], ['budget', 'spent']);
    world.feed(wrote(comment(1)));
    world.due();
    assert.deepEqual([world.preparing.cause.kind, ids(world.preparing.references)], ['limit_over', [1]]);
  });

  it('holds a first turn up as well, which is then still the first', () => {
    const world = World.triggered();
    spent(world);
    world.due();
    assert.deepEqual([world.preparing.cause.kind, world.preparing.session], ['first', 'first']);
  });

  it('is passed over for one run by the operator', () => {
    const world = World.triggered();
    spent(world);
    assert.deepEqual(command(world, { ...MORE, turns: 3 }), [], 'it is the day’s budget that is missing');
    const begun = command(world, { ...MORE, dayEnds: 5_000_000 });
    assert.deepEqual(kinds(begun), ['disarm_resume', 'prepare_turn']);
    assert.equal(world.life.budget.dayLiftedUntil, 5_000_000);
  });

  it('does not take an operator’s words from a run that loses its trigger meanwhile, and regains it', () => {
    const world = World.frozenDone();
    command(world, { kind: 'resume', promptRef: 'p' });
    spent(world);
    world.feed(observed({ readAt: 2_000, triggered: false }));
    assert.equal(world.reason, 'untriggered');
    world.feed(observed({ readAt: 9_000, trigger: trigger(8_000) }));
    assert.deepEqual(world.preparing.cause, { kind: 'operator', promptRef: 'p' });
  });

  it('is followed by the run’s own with what woke the run', () => {
    const world = World.woken();
    spent(world);
    const budget = { ...POLICY.budget, turns: 1 };
    world.feed({ kind: 'settings', policy: { ...POLICY, budget } });
    world.due();
    assert.deepEqual([world.reason, world.frozen.deferred?.wokenFrom], ['budget', 'done']);
  });

  it('does not keep a run from its end', () => {
    const world = World.triggered();
    world.claimed();
    world.feed(observed({ readAt: 20, open: false, closedAt: 20 }));
    spent(world);
    assert.equal(world.phase, 'destroying');
    world.destroyed();
  });
});
