import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { PullRequest } from '../../../../src/domain/forge/issue.js';
import { ALICE, BOT, user } from '../../../support/webhook/fake-forge.js';
import { aHint, aPullHint } from '../../../support/webhook/hints.js';
import { stateRow } from '../../../support/webhook/rows.js';
import { ID, SegmentWorld } from '../../../support/webhook/segment-world.js';

const ACT_AT = 1_700_000_000_000;
const MALLORY = user('mallory', 66);
const iso = (ms: number): string => new Date(ms).toISOString();
const head = (changes: Partial<PullRequest['head']>): Pick<PullRequest, 'head'> => ({
  head: { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: false, ...changes },
});

describe('what is seen of a subject', () => {
  let world: SegmentWorld;

  beforeEach(() => {
    world = new SegmentWorld();
    world.forge.trigger(12, ACT_AT);
    world.begunBy = { actAt: ACT_AT, actId: 2 };
    world.gateway.running.add(ID);
  });
  const count = (call: string): number => world.forge.calls.filter((one) => one === call).length;
  async function prs(hint = aHint()): Promise<readonly number[]> {
    await world.handle(hint);
    return world.lastSeen.prs.map(({ number }) => number);
  }

  it('is whether it is open, and since when it is not', async () => {
    world.row = stateRow({ status: 'frozen' });
    await world.handle(aHint());
    assert.deepEqual([world.lastSeen.open, world.lastSeen.closedAt], [true, null]);
    world.forge.putIssue(12, { state: 'closed', closedAt: iso(ACT_AT + 5_000) });
    await world.handle(aHint());
    assert.deepEqual([world.lastSeen.open, world.lastSeen.closedAt], [false, ACT_AT + 5_000]);
  });

  it('is when it was last closed, where it is open again', async () => {
    for (const [kind, at] of [
      ['closed', 1_000],
      ['reopened', 2_000],
      ['closed', 3_000],
      ['reopened', 4_000],
    ] as const)
      world.forge.act(12, kind, '', ACT_AT + at);
    await world.handle(aHint());
    const { open, closedAt, trigger } = world.lastSeen;
    assert.deepEqual([open, closedAt, trigger?.actAt], [true, ACT_AT + 3_000, ACT_AT + 4_000]);
  });

  it('is dated before the forge was asked', async () => {
    const { now } = world;
    world.forge.fault = () => (world.now = now + 500);
    await world.handle(aHint());
    assert.equal(world.lastSeen.readAt, now);
  });

  it('is the issue of the run where the pull request is heard of', async () => {
    world.row = stateRow({ status: 'frozen', prNumber: 31 });
    world.forge.putPull(31, { state: 'closed', merged: true, closedAt: iso(ACT_AT + 9_000) });
    await world.handle(aPullHint());
    assert.equal(world.lastSeen.triggered, true);
    assert.deepEqual(world.lastSeen.prs, [
      { number: 31, open: false, merged: true, closedAt: ACT_AT + 9_000 },
    ]);
  });

  it('is asked for beside the questions that a likely trigger raises, each once', async () => {
    const hint = aHint({ likelyAssignees: ['bot', 'carol'] });
    let together: readonly string[] = [];
    world.forge.fault = () => {
      if (together.length === 0) together = [...world.forge.calls];
    };
    await world.handle(hint);
    for (const call of ['issue 12', 'timeline', 'member bot', 'member carol', 'permission alice', 'whoami'])
      assert.ok(together.includes(call), call);
    assert.deepEqual([count('member bot'), count('permission alice')], [1, 1]);
  });

  it('raises no questions ahead where no trigger is likely', async () => {
    world.forge.putIssue(12, { labels: [] });
    await world.handle(aHint());
    assert.deepEqual([count('member bot'), count('permission alice')], [0, 0]);
  });

  describe('of pull requests', () => {
    it('is the one of the row, and the one that is heard of', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 30 });
      world.forge.putPull(30);
      world.forge.putPull(31);
      assert.deepEqual([...(await prs(aPullHint()))].sort(), [30, 31]);
      assert.equal(count('head'), 0);
    });

    it('is one of them where both are the same', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      world.forge.putPull(31);
      assert.deepEqual(await prs(aPullHint()), [31]);
      assert.equal(count('pull 31'), 1);
    });

    it('is the open one of its branch while the row has none', async () => {
      world.row = stateRow({ status: 'frozen' });
      world.forge.putPull(31, head({}));
      assert.deepEqual(await prs(), [31]);
    });

    it('is none of its branch once the run has ended, or before it has a branch', async () => {
      world.forge.putPull(31, head({}));
      for (const row of [stateRow({ status: 'destroyed' }), stateRow({ branch: '', status: 'frozen' })]) {
        world.row = row;
        await world.handle(aHint());
      }
      assert.equal(count('head'), 0);
    });

    for (const [what, changes] of [
      ['deleted', {}],
      ['somebody else’s now', { forkOwner: MALLORY }],
    ] as const)
      it(`is the row’s own, open or not, though the fork that it came from is ${what}`, async () => {
        world.row = stateRow({ status: 'frozen', prNumber: 31 });
        const closed = { state: 'closed', closedAt: iso(ACT_AT + 9_000) } as const;
        world.forge.putPull(31, { ...head({ fromFork: true, ...changes }), ...closed });
        for (const hint of [aPullHint(), aHint()]) {
          await world.handle(hint);
          assert.deepEqual(world.lastSeen.prs, [
            { number: 31, open: false, merged: false, closedAt: ACT_AT + 9_000 },
          ]);
        }
      });

    it('is none from a stranger’s fork, whose branch may be called like the run’s', async () => {
      world.row = stateRow({ status: 'frozen' });
      world.forge.putPull(31, head({ fromFork: true, forkOwner: MALLORY }));
      assert.deepEqual(await prs(), []);
      world.now += 10_000;
      world.forge.putPull(31, head({ fromFork: true, forkOwner: BOT }));
      assert.deepEqual(await prs(), [31]);
    });

    it('is a closed one where it was deleted, whether that or the issue is heard of', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      const deleted = [{ number: 31, open: false, merged: false, closedAt: null }];
      for (const hint of [aPullHint(), aHint()]) {
        assert.equal(await world.outcome(hint), 'signalled');
        assert.deepEqual(world.lastSeen.prs, deleted);
      }
    });

    it('is not a deleted one where the repository went out of sight between two reads', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      world.forge.fault = (call) => {
        if (call === 'pull 31') world.forge.issues.clear();
      };
      assert.equal((await world.handle(aPullHint())).kind, 'held');
      assert.deepEqual(world.told, []);
    });

    for (const [whose, changes] of [
      ['the row’s', { prNumber: 31 }],
      ['that of its branch', {}],
    ] as const)
      it(`is not a deleted one where the repository shows no pull requests: ${whose}`, async () => {
        world.row = stateRow({ status: 'frozen', ...changes });
        world.forge.putPull(31, head({}));
        world.forge.hidden.add('pulls');
        for (const hint of [aHint(), aPullHint()]) {
          assert.equal(await world.outcome(hint), 'signalled');
          assert.deepEqual([world.lastSeen.open, world.lastSeen.prs], [true, []]);
          world.now += 10_000;
        }
        world.forge.hidden.clear();
        assert.deepEqual(await prs(), [31]);
      });

    it('is kept for later when the forge does not say whether it shows any', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      world.forge.fault = (call) => {
        if (call === 'can read pulls') throw new ForgeHttpError(503, 'GET', '/', 'away');
      };
      await assert.rejects(world.handle(aHint()), ForgeHttpError);
      assert.deepEqual(world.told, []);
    });

    it('is kept for later when the forge does not answer for it', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 31 });
      world.forge.fault = (call) => {
        if (call === 'pull 31') throw new ForgeHttpError(503, 'GET', '/', 'away');
      };
      await assert.rejects(world.handle(aHint()), ForgeHttpError);
    });
  });

  describe('whose subject is a pull request itself', () => {
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
    beforeEach(() => {
      world.forge.putIssue(12, { isPull: true });
      world.forge.putPull(12);
    });

    it('is that pull request, which the run works on from its beginning', async () => {
      assert.equal(await world.outcome(aHint({ isPull: true })), 'started');
      assert.equal(world.lastSeen.trigger?.pull, 12);
      assert.deepEqual(world.lastSeen.prs, [{ number: 12, open: true, merged: false, closedAt: null }]);
      assert.equal(count('pull 12'), 1);
    });

    it('is that pull request also where a delivery speaks of an issue', async () => {
      assert.equal(await world.outcome(aHint()), 'started');
      assert.deepEqual(
        world.lastSeen.prs.map(({ number }) => number),
        [12],
      );
    });

    it('is that one alone when the row has its number for both', async () => {
      world.row = stateRow({ status: 'frozen', prNumber: 12 });
      assert.deepEqual(await prs(aHint({ subject, isPull: true })), [12]);
      assert.equal(count('pull 12'), 1);
    });
  });

  describe('when a pull request of the run was reopened', () => {
    beforeEach(() => {
      world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT + 60_000, prNumber: 31 });
      world.forge.putPull(31);
      world.forge.act(31, 'reopened', '', ACT_AT + 90_000, ALICE);
    });

    it('is a trigger, for a run that works on it', async () => {
      assert.equal(await world.outcome(aPullHint()), 'started');
      assert.deepEqual([world.lastSeen.trigger?.actAt, world.lastSeen.trigger?.pull], [ACT_AT + 90_000, 31]);
    });

    it('is none where it has been closed again', async () => {
      world.forge.putPull(31, { state: 'closed' });
      assert.equal(await world.outcome(aPullHint()), 'signalled');
      assert.equal(world.lastSeen.trigger?.actAt, ACT_AT);
    });

    it('is none for what else was done to it', async () => {
      world.forge.timelines.delete(31);
      world.forge.act(31, 'labeled', 'bot-bottle:coder', ACT_AT + 90_000, ALICE);
      assert.equal(await world.outcome(aPullHint()), 'signalled');
    });

    it('gives no pull request to a run that a later act on the issue asks for', async () => {
      world.forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 95_000, ALICE);
      assert.equal(await world.outcome(aPullHint()), 'started');
      assert.equal(world.lastSeen.trigger?.pull, null);
    });
  });

  describe('as deliveries tell of its words', () => {
    const versions = { actorId: ALICE.id, at: ACT_AT, version: 1 };
    beforeEach(() => {
      world.row = undefined;
      const touched = { author: MALLORY, updatedAt: iso(ACT_AT + 1_000), contentVersion: 1 };
      world.forge.putIssue(12, touched);
    });

    it('is the text that somebody had before him', async () => {
      assert.equal(await world.outcome(aHint({ textVersion: versions })), 'started');
    });

    it('is a text that may be another one where they do not tell', async () => {
      assert.equal(await world.outcome(aHint()), 'signalled');
      assert.match(world.rejected[0]?.reason ?? '', /may have been changed/);
    });

    it('is not what they tell of a pull request of the run', async () => {
      world.row = stateRow({ status: 'destroyed', destroyedAt: ACT_AT - 60_000, prNumber: 31 });
      world.begunBy = undefined;
      world.forge.putPull(31);
      assert.equal(await world.outcome(aPullHint({ textVersion: versions })), 'signalled');
      assert.match(world.rejected[0]?.reason ?? '', /may have been changed/);
    });
  });
});
