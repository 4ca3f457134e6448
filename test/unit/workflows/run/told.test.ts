import assert from 'node:assert/strict';
import { running } from '../../../support/machine/stages.js';
import { comment, done, modelReport, POLICY, World, wrote } from '../../../support/machine/world.js';

/** Why the people on the forge were told, in order. */
function told({ commands }: World): string[] {
  return commands.flatMap((command) => (command.kind === 'tell_frozen' ? [command.reason] : []));
}

describe('what the people on the forge see of a frozen run', () => {
  for (const status of ['blocked', 'failed'] as const)
    it(`is that its agent ended as ${status}`, () => {
      const world = World.triggered();
      world.liveTurn({ done: { ...done, status } });
      assert.equal(world.reason, status);
      assert.deepEqual(told(world), [status]);
    });

  it('is nothing of a turn that is done, incomplete or stopped by the operator', () => {
    const world = World.triggered();
    world.liveTurn({ done });
    world.feed(wrote(comment(1)));
    world.liveTurn({ exitCode: 1 });
    world.feed(wrote(comment(2)));
    world.liveTurn({ stopped: 'operator' });
    assert.equal(world.reason, 'paused');
    assert.deepEqual(told(world), []);
  });

  it('is that a step failed for good, before the agent ran', () => {
    const world = World.triggered();
    world.pay('claim');
    world.fail('prepare', 'no key');
    assert.deepEqual([world.reason, world.life.detail], ['failed', 'no key']);
    assert.deepEqual(told(world), ['failed']);
  });

  it('is that the budget is used up, by a turn or before one, each time that it is', () => {
    const world = World.triggered();
    world.liveTurn({ model: modelReport(1_000, 0, { kind: 'over_budget', what: 'tokens' }) });
    assert.deepEqual(told(world), ['budget']);
    const over = World.triggered({ ...POLICY, budget: { ...POLICY.budget, turns: 1 } });
    over.liveTurn({ done });
    over.feed(wrote(comment(1)));
    assert.equal(over.reason, 'budget');
    // What comes meanwhile is no news.
    over.feed(wrote(comment(2)));
    assert.deepEqual(told(over), ['budget']);
  });

  it('is that the day’s budget is used up', () => {
    const world = World.triggered();
    world.pay('claim');
    world.prepareEnds({ kind: 'over_budget', reason: 'the day', until: world.now + 1 });
    assert.deepEqual(told(world), ['budget']);
  });

  it('is nothing of a run that goes on at once, and nothing new of one that stays as it was', () => {
    const world = running();
    world.feed(wrote(comment(1)));
    world.endTurn({ done: { ...done, status: 'blocked' } });
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(told(world), []);
    world.liveTurn({ done: { ...done, status: 'blocked' } });
    world.feed(wrote(comment(2)));
    world.nothingLeft();
    assert.equal(world.reason, 'blocked');
    assert.deepEqual(told(world), ['blocked']);
  });
});
