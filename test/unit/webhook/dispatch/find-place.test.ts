import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { Handled } from '../../../../src/webhook/dispatch/outcome.js';
import { aHint } from '../../../support/webhook/hints.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { ID, SegmentWorld } from '../../../support/webhook/segment-world.js';

const ACT_AT = 1_700_000_000_000;
const NOWHERE = 'the forge has no such issue any longer';
const HIDDEN = 'the repository is not there, or hidden from the bot';

describe('where a subject is', () => {
  let world: SegmentWorld;

  beforeEach(() => {
    world = new SegmentWorld();
    world.row = stateRow({ status: 'frozen' });
    world.begunBy = { actAt: ACT_AT, actId: 2 };
    world.gateway.running.add(ID);
  });
  const gone = (detail: string, outcome = 'gone'): Handled =>
    ({ kind: 'done', results: [{ outcome, detail }] }) as Handled;
  /** As on a forge that has the repository under one name alone. */
  function hasMovedTo(owner: string, repo: string): void {
    world.forge.places.set(7, { repoId: 7, owner, repo });
    world.forge.fault = (call) => {
      if (call === 'issue 12' && world.asked.at(-1) !== `${owner}/${repo}`) throw world.forge.notFound();
    };
  }

  it('is the name of the delivery, and nobody asks further', async () => {
    world.forge.trigger(12, ACT_AT);
    await world.handle(aHint());
    assert.ok(!world.forge.calls.some((call) => call.startsWith('where')));
  });

  it('is the name that its repository has now, whatever the delivery says', async () => {
    world.forge.trigger(12, ACT_AT);
    hasMovedTo('dora', 'elsewhere');
    assert.equal(await world.outcome(aHint()), 'signalled');
    assert.deepEqual(world.lastSeen.place, { repoId: 7, owner: 'dora', repo: 'elsewhere' });
  });

  it('is looked for under the name it has now, where that of the delivery is not served', async () => {
    world.forge.trigger(12, ACT_AT);
    world.serves = ({ owner }) => owner === 'dora';
    hasMovedTo('dora', 'demo');
    assert.equal(await world.outcome(aHint()), 'signalled');
    assert.equal(world.forge.calls.filter((call) => call === 'issue 12').length, 1);
  });

  it('is told to the reactions, too', async () => {
    world.row = undefined;
    world.forge.trigger(12, ACT_AT);
    hasMovedTo('dora', 'elsewhere');
    await world.handle(aHint());
    assert.deepEqual(world.asked.at(-1), 'dora/elsewhere');
  });

  describe('when it is out of sight', () => {
    it('is looked for again after ten seconds, and then the run is told that it is lost', async () => {
      assert.deepEqual(await world.handle(aHint()), { kind: 'held', until: world.now + 10_000 });
      assert.deepEqual(world.told, []);
      world.now += 10_000;
      assert.deepEqual(await world.handle(aHint()), gone(NOWHERE));
      assert.deepEqual(world.gateway.sent, [
        { id: ID, start: false, event: { kind: 'lost', readAt: world.now, why: NOWHERE } },
      ]);
    });

    describe('with its repository', () => {
      beforeEach(() => world.forge.places.clear());

      it('is looked for again after ten seconds, and then its run is frozen: it ends for no repository', async () => {
        assert.deepEqual(await world.handle(aHint()), { kind: 'held', until: world.now + 10_000 });
        world.now += 10_000;
        assert.deepEqual(await world.handle(aHint()), gone(HIDDEN, 'unserved'));
        assert.deepEqual(world.gateway.sent, [
          { id: ID, start: false, event: { kind: 'unserved', why: HIDDEN } },
        ]);
      });

      it('is told to a run that knows it no more', async () => {
        world.row = stateRow({ status: 'frozen', reason: 'unserved' });
        await world.handle(aHint());
        assert.deepEqual(await world.handle(aHint()), gone(HIDDEN, 'unserved'));
        assert.deepEqual(world.told, []);
      });

      it('is nobody’s business without a run', async () => {
        world.row = undefined;
        assert.deepEqual(await world.handle(aHint()), gone(HIDDEN));
      });

      it('is told as soon as it is there again, though nothing about it has changed', async () => {
        const found = aHint({ sender: null });
        world.forge.trigger(12, ACT_AT);
        assert.equal(await world.outcome(found), 'signalled');
        world.forge.fault = (call) => {
          if (call === 'issue 12') throw world.forge.notFound();
        };
        await world.handle(found);
        world.now += 10_000;
        assert.equal(await world.outcome(found), 'unserved');
        world.forge.fault = () => undefined;
        assert.equal(await world.outcome(found), 'signalled');
        assert.deepEqual(
          world.told.map(([, kind]) => kind),
          ['observed', 'unserved', 'observed'],
        );
      });
    });

    describe('with all of its kind', () => {
      const NO_ISSUES = 'issues are switched off in the repository, or hidden from the bot';
      const NO_PULLS = 'pull requests are switched off in the repository, or hidden from the bot';
      async function isFrozenAs(why: string): Promise<void> {
        assert.deepEqual(await world.handle(aHint()), { kind: 'held', until: world.now + 10_000 });
        world.now += 10_000;
        assert.deepEqual(await world.handle(aHint()), gone(why, 'unserved'));
        assert.deepEqual(world.gateway.sent, [{ id: ID, start: false, event: { kind: 'unserved', why } }]);
      }

      it('is hidden, not missing: its run is frozen, and goes on when they are seen again', async () => {
        world.forge.trigger(12, ACT_AT);
        world.forge.hidden.add('issues');
        await isFrozenAs(NO_ISSUES);
        world.forge.hidden.clear();
        assert.equal(await world.outcome(aHint()), 'signalled');
      });

      it('is so under the name that its repository has now', async () => {
        world.forge.trigger(12, ACT_AT);
        hasMovedTo('dora', 'elsewhere');
        world.forge.hidden.add('issues');
        await isFrozenAs(NO_ISSUES);
      });

      it('is so where it is a pull request', async () => {
        world.row = stateRow({ status: 'frozen', prNumber: 12 });
        world.forge.putIssue(12, { isPull: true });
        world.forge.putPull(12);
        world.forge.hidden.add('pulls');
        await isFrozenAs(NO_PULLS);
      });

      it('is so where it may be a pull request, of which the row says another one', async () => {
        world.row = stateRow({ status: 'frozen', prNumber: 40 });
        world.forge.putIssue(12, { isPull: true });
        world.forge.putPull(12);
        world.forge.hidden.add('pulls');
        await isFrozenAs(NO_PULLS);
      });

      it('is missing where it is a pull request, and issues alone are not seen', async () => {
        world.row = stateRow({ status: 'frozen', prNumber: 12 });
        world.forge.hidden.add('issues');
        await world.handle(aHint());
        world.now += 10_000;
        assert.deepEqual(await world.handle(aHint()), gone(NOWHERE));
      });

      it('is kept for later when the forge does not say whether they are seen', async () => {
        world.forge.fault = (call) => {
          if (call === 'can read issues') throw new ForgeHttpError(503, 'GET', '/', 'away');
        };
        await assert.rejects(world.handle(aHint()), ForgeHttpError);
      });
    });

    it('is not looked for twice under one name', async () => {
      await world.handle(aHint());
      assert.equal(world.forge.calls.filter((call) => call === 'issue 12').length, 1);
    });

    for (const [what, there, moves] of [
      ['the repository is there, under its name', true, false],
      ['the repository is there, under another owner', true, true],
      ['the repository is not there', false, false],
    ] as const) {
      it(`is looked for once more, later, where ${what}`, async () => {
        if (moves) hasMovedTo('dora', 'demo');
        if (!there) world.forge.places.clear();
        assert.equal((await world.handle(aHint())).kind, 'held');
        const asked = world.forge.calls.filter((call) => call === 'issue 12').length;
        assert.equal(asked, moves ? 2 : 1);
      });
    }

    it('counts anew once it was seen again', async () => {
      await world.handle(aHint());
      world.forge.trigger(12, ACT_AT);
      world.now += 10_000;
      assert.equal(await world.outcome(aHint()), 'signalled');
      world.forge.issues.clear();
      world.now += 10_000;
      assert.equal((await world.handle(aHint())).kind, 'held');
    });

    it('is nobody’s business without a run, or after it', async () => {
      for (const row of [undefined, stateRow({ status: 'destroyed' })]) {
        world.row = row;
        assert.deepEqual(await world.handle(aHint()), gone(NOWHERE));
      }
      assert.deepEqual(world.told, []);
    });

    it('is kept for later when the forge does not answer', async () => {
      world.forge.fault = () => {
        throw new ForgeHttpError(503, 'GET', '/', 'away');
      };
      await assert.rejects(world.handle(aHint()), ForgeHttpError);
    });
  });

  describe('when it is in a repository that is not served', () => {
    const WHY = 'the repository is eve/demo now, which is not served';
    beforeEach(() => {
      world.serves = ({ owner }) => owner !== 'eve';
      hasMovedTo('eve', 'demo');
      world.forge.trigger(12, ACT_AT);
    });

    it('is told to the run, at once', async () => {
      assert.deepEqual(await world.handle(aHint()), gone(WHY, 'unserved'));
      assert.deepEqual(world.gateway.sent, [{ id: ID, start: false, event: { kind: 'unserved', why: WHY } }]);
    });

    it('is told to it once', async () => {
      world.row = stateRow({ status: 'frozen', reason: 'unserved' });
      assert.deepEqual(await world.handle(aHint()), gone(WHY, 'unserved'));
      assert.deepEqual(world.told, []);
    });

    it('is nobody’s business without a run', async () => {
      world.row = undefined;
      assert.deepEqual(await world.handle(aHint()), gone(WHY));
      assert.deepEqual(world.told, []);
    });
  });
});
