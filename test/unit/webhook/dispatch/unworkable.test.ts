import assert from 'node:assert/strict';
import type { PublishPlace } from '../../../../src/domain/forge/forks.js';
import type { PullRequest } from '../../../../src/domain/forge/issue.js';
import { BOT } from '../../../support/webhook/fake-forge.js';
import { aHint, aPullHint } from '../../../support/webhook/hints.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { SegmentWorld } from '../../../support/webhook/segment-world.js';

const ACT_AT = 1_700_000_000_000;
const MAIN = { ref: 'main', sha: 'ba5e' };
const from = (ref: string, base = MAIN): Partial<PullRequest> => ({
  head: { ref, sha: 'c0ffee', fromFork: false },
  base,
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Pull request 31 has a trigger that holds. */
function onPull(pull: Partial<PullRequest>, publish: PublishPlace = 'branch'): SegmentWorld {
  const world = new SegmentWorld({ publish });
  world.forge.trigger(31, ACT_AT);
  world.forge.putIssue(31, { isPull: true });
  world.forge.putPull(31, pull);
  return world;
}

/** An issue whose trigger is the reopening of pull request 31, of a run that is over. */
function onReopened(publish: PublishPlace, pull: Partial<PullRequest> = {}): SegmentWorld {
  const world = new SegmentWorld({ publish });
  world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT + 5_000, prNumber: 31 });
  world.begunBy = { actAt: ACT_AT, actId: 2 };
  world.forge.trigger(12, ACT_AT);
  world.forge.putPull(31, { ...from('bot-bottle/12-abc12'), ...pull });
  world.forge.act(31, 'reopened', '', ACT_AT + 60_000);
  return world;
}

describe('a trigger on what no run can begin on', () => {
  const refusals: readonly (readonly [
    what: string,
    pull: Partial<PullRequest>,
    place: PublishPlace,
    RegExp,
  ])[] = [
    ['a branch of the repository, where forks publish', from('feature'), 'fork', /FORGE_PUBLISH=fork/],
    ['the default branch', from('main', { ...MAIN, ref: 'next' }), 'branch', /of branch main/],
    ['a branch that git would not take', from('-x'), 'branch', /branch of pull request #31 has an unusable/],
    ['one with an unusable base', from('feature', { ...MAIN, ref: 'a b' }), 'branch', /^the base branch of/],
  ];
  for (const [what, pull, place, reason] of refusals)
    it(`is refused with the reason, a row and one confused face: a pull request from ${what}`, async () => {
      const world = onPull(pull, place);
      const handled = await world.handle(aPullHint());
      assert.ok(handled.kind === 'done');
      assert.match(handled.results[0]?.detail ?? '', /^refused: /);
      assert.equal(await world.outcome(aPullHint()), 'no_run');
      await settled();
      assert.match(world.rejected[0]?.reason ?? '', reason);
      assert.deepEqual(
        world.rejected.map(({ at }) => at),
        [ACT_AT],
      );
      assert.deepEqual([world.forge.reactions, world.told], [[[31, 'confused']], []]);
    });

  it('is refused for the branch that an issue names', async () => {
    const world = new SegmentWorld();
    world.forge.trigger(12, ACT_AT);
    world.forge.putIssue(12, { ref: 'refs/heads/a b' });
    assert.equal(await world.outcome(aHint()), 'no_run');
    assert.match(world.rejected[0]?.reason ?? '', /^the branch that #12 names can't be one to build on/);
    world.forge.putIssue(12, { ref: 'refs/heads/next' });
    assert.equal(await world.outcome(aHint()), 'started');
  });

  it('is refused for the pull request whose reopening asks for a run, but not when that is closed again', async () => {
    const world = onReopened('fork');
    assert.equal(await world.outcome(aPullHint()), 'no_run');
    assert.match(world.rejected[0]?.reason ?? '', /FORGE_PUBLISH=fork/);
    assert.equal(await onReopened('branch').outcome(aPullHint()), 'started');
    const closed = onReopened('fork');
    let reads = 0;
    closed.forge.fault = (call) => {
      if (call === 'pull 31' && (reads += 1) === 2) closed.forge.putPull(31, { state: 'closed' });
    };
    assert.equal(await closed.outcome(aPullHint()), 'started');
    const strange = onReopened('fork', {
      head: { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: true, forkOwner: { id: 66, login: 'mallory' } },
    });
    assert.equal(await strange.outcome(aPullHint()), 'no_run');
    assert.match(strange.rejected[0]?.reason ?? '', /comes from a fork/);
  });

  it('is nothing that a workflow hears of', async () => {
    const world = onPull(from('feature'), 'fork');
    world.gateway.running.add('gitea:alice/demo#31');
    assert.equal(await world.outcome(aPullHint()), 'signalled');
    assert.deepEqual([world.lastSeen.trigger, world.lastSeen.triggered], [null, true]);
  });

  it('starts a run where nothing is in the way', async () => {
    assert.equal(await onPull(from('feature')).outcome(aPullHint()), 'started');
    const own = { ref: 'bot-bottle/12-older', sha: 'x', fromFork: true, forkOwner: BOT };
    assert.equal(await onPull({ head: own, base: MAIN }, 'fork').outcome(aPullHint()), 'started');
  });

  it('is no matter to a run that goes on, which says so itself', async () => {
    const world = onPull(from('feature'), 'fork');
    world.row = stateRow({ status: 'frozen', issueNumber: 31, prNumber: 31 });
    world.begunBy = { actAt: ACT_AT - 60_000, actId: 1 };
    assert.equal(await world.outcome(aPullHint()), 'started');
    assert.deepEqual(world.rejected, []);
  });
});
