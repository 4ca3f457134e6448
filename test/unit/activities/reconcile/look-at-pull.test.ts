import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { FeedRemark } from '../../../../src/domain/forge/forge-feed.js';
import type { PullRequestHead } from '../../../../src/domain/forge/issue.js';
import { feedSubject, NOW, SHA } from '../../../support/reconcile/feed-here.js';
import { PassHere } from '../../../support/reconcile/pass-here.js';

const PULL = 14;
const BRANCH = 'bot-bottle/12-abc12';
const NEXT = 'b'.repeat(40);
const ALICE = 2;
const BOB = 5;

describe('a pull request that may be a run’s', () => {
  let world: PassHere;
  beforeEach(() => {
    world = new PassHere();
    world.addRun({ prNumber: PULL });
    world.feed.issues = [feedSubject(12), feedSubject(PULL, { isPull: true })];
  });

  /** News of the pull request alone. */
  const news = async (): Promise<readonly string[]> =>
    (await world.news()).filter((one) => one.startsWith(`demo#${String(PULL)} `));
  const head = (changes: Partial<PullRequestHead>): void => {
    world.feed.heads = { [PULL]: { ref: BRANCH, sha: SHA, fromFork: false, ...changes } };
  };
  const askedFor = (start: string): readonly string[] =>
    world.feed.asked.filter((request) => request.startsWith(start));

  it('is told with its branch, which orders it with its issue', async () => {
    assert.deepEqual(await news(), ['demo#14 state']);
    assert.deepEqual(
      new Set(world.accepted.map(({ number, headRef }) => `${String(number)} ${headRef ?? '-'}`)),
      new Set(['12 -', `14 ${BRANCH}`]),
    );
  });

  it('is told to be gone when it is not there, though its issue is', async () => {
    world.feed.issues = [feedSubject(12)];
    assert.deepEqual(await news(), ['demo#14 state']);
    const told = world.accepted.find(({ number }) => number === PULL);
    assert.deepEqual([told?.seen, told?.isPull, told?.headRef], ['gone', true, BRANCH]);
  });

  it('is not told to be gone by a forge that fails', async () => {
    world.feed.fault = (request) =>
      request.startsWith('pull') ? new ForgeHttpError(500, 'GET', '/', 'oops') : undefined;
    assert.equal((await world.pass()).end, 'forge');
    assert.deepEqual(
      world.accepted.filter(({ number, seen }) => number === PULL && seen === 'gone'),
      [],
    );
  });

  describe('and pushes', () => {
    it('is told of as pushed when somebody did since the trigger, at the first look', async () => {
      world.feed.isPushed = true;
      assert.deepEqual(await news(), ['demo#14 state', `demo#14 push ${SHA}`]);
      assert.deepEqual(new Set(askedFor('pushed')), new Set(['pushed 14 3600000']));
    });

    it('is told of when its head is another one than before, and the forge is not asked any more', async () => {
      await world.pass();
      world.feed.asked.length = 0;
      assert.deepEqual(await news(), []);
      head({ sha: NEXT });
      assert.deepEqual(await news(), [`demo#14 push ${NEXT}`]);
      assert.deepEqual([await news(), askedFor('pushed')], [[], []]);
    });
  });

  describe('and checks', () => {
    it('is told of when some fail on its head', async () => {
      world.feed.failing = ['lint'];
      assert.deepEqual(await news(), ['demo#14 state', `demo#14 checks ${SHA}`]);
    });

    it('is not asked for its checks when it is closed', async () => {
      world.feed.failing = ['lint'];
      world.feed.issues = [feedSubject(12), feedSubject(PULL, { isPull: true, state: 'closed' })];
      assert.deepEqual([await news(), askedFor('checks')], [['demo#14 state'], []]);
    });
  });

  describe('whose number no run has yet', () => {
    beforeEach(() => {
      world.rows = [];
      world.addRun({ prNumber: null });
    });

    it('is the run’s whose branch is its head, in the repository itself', async () => {
      assert.deepEqual(await news(), ['demo#14 state']);
      assert.equal(world.accepted.find(({ number }) => number === PULL)?.headRef, BRANCH);
      assert.deepEqual(askedFor('me'), []);
    });

    it('is nobody’s with another head', async () => {
      head({ ref: 'feature' });
      assert.deepEqual([await news(), askedFor('reviews')], [[], []]);
      world.rows = [];
      world.addRun({ prNumber: null, branch: '' });
      head({ ref: '' });
      assert.deepEqual(await news(), [], 'no branch is no branch in common');
    });

    for (const [what, forkOwner, isOurs] of [
      ['the bot’s fork is the run’s', { id: 3, login: 'bot' }, true],
      ['somebody else’s fork is nobody’s', { id: 4, login: 'mallory' }, false],
    ] as const)
      it(`and that comes from ${what}`, async () => {
        head({ fromFork: true, forkOwner });
        assert.equal((await news()).length, isOurs ? 1 : 0);
      });

    it('and that is gone by now is told to nobody', async () => {
      world.feed.fault = (request) =>
        request.startsWith('pull') ? new ForgeHttpError(404, 'GET', '/', 'gone') : undefined;
      assert.deepEqual(await news(), []);
    });
  });

  describe('and reviews', () => {
    const review = (id: number, remarks = 0, submittedAt = NOW - 60_000) => ({
      ...{ id, authorId: ALICE, submittedAt, remarks },
    });
    const remark = (id: number, authorId = BOB): FeedRemark => ({
      ...{ id, authorId, number: PULL, isPull: true, body: `answer ${String(id)}`, updatedAt: NOW },
    });

    it('is told of with each that was submitted since the trigger', async () => {
      world.feed.submitted = [review(1), review(2, 3), review(3, 0, NOW - 7_200_000)];
      assert.deepEqual(await news(), ['demo#14 state', 'demo#14 review 1', 'demo#14 review 2']);
    });

    it('is told of with what others had answered to one that is new, since the trigger', async () => {
      world.feed.submitted = [review(1), review(2, 4)];
      const old = { ...remark(24), updatedAt: NOW - 7_200_000 };
      world.feed.remarked = { 2: [remark(21, ALICE), remark(22), remark(23, ALICE), old] };
      const told = (await news()).filter((one) => one.includes('comment'));
      assert.deepEqual([told, askedFor('remarks')], [['demo#14 comment 22'], ['remarks 2']]);
      assert.deepEqual([await news(), askedFor('remarks')], [[], ['remarks 2']]);
    });

    it('is told of with the answers that a known one has got since, the latest', async () => {
      world.feed.submitted = [review(1, 1), review(2, 1)];
      await world.pass();
      world.feed.asked.length = 0;
      world.feed.submitted = [review(1, 1), review(2, 3)];
      world.feed.remarked = { 2: [remark(33), remark(31), remark(32)] };
      assert.deepEqual(await news(), ['demo#14 comment 32', 'demo#14 comment 33']);
      assert.deepEqual([await news(), askedFor('remarks')], [[], ['remarks 2']]);
    });

    it('is told of nothing when a remark was removed', async () => {
      world.feed.submitted = [review(1, 3)];
      await world.pass();
      world.feed.asked.length = 0;
      world.feed.submitted = [review(1, 2)];
      assert.deepEqual([await news(), askedFor('remarks')], [[], []]);
      world.feed.submitted = [review(1, 3)];
      world.feed.remarked = { 1: [remark(40), remark(41), remark(42)] };
      assert.deepEqual(await news(), ['demo#14 comment 42']);
    });

    it('has the answers of two reviews read in one look, and the others in the next', async () => {
      world.feed.submitted = [1, 2, 3].map((id) => review(id, 1));
      await world.pass();
      world.feed.submitted = [1, 2, 3].map((id) => review(id, 2));
      world.feed.remarked = Object.fromEntries([1, 2, 3].map((id) => [id, [remark(10 + id)]]));
      assert.deepEqual(await news(), ['demo#14 comment 11', 'demo#14 comment 12']);
      assert.deepEqual(await news(), ['demo#14 comment 13']);
      assert.deepEqual(await news(), []);
    });

    it('has those read first that it knows: there may be many older than the run', async () => {
      world.feed.submitted = [review(9, 1)];
      await world.pass();
      world.feed.submitted = [...[1, 2, 3].map((id) => review(id, 1, NOW - 7_200_000)), review(9, 2)];
      world.feed.remarked = { 9: [remark(19)] };
      assert.deepEqual(await news(), ['demo#14 comment 19']);
    });

    it('has the first page read and the three last ones, where the newest are', async () => {
      world.feed.pageSize = 1;
      world.feed.submitted = [1, 2, 3, 4, 5, 6].map((id) => review(id));
      const told = (await news()).filter((one) => one.includes('review'));
      assert.deepEqual(
        told,
        [1, 4, 5, 6].map((id) => `demo#14 review ${String(id)}`),
      );
    });

    it('has the second page read where there are two', async () => {
      world.feed.pageSize = 1;
      world.feed.submitted = [review(1), review(2)];
      await news();
      assert.deepEqual([...new Set(askedFor('reviews'))], ['reviews 14 1', 'reviews 14 2']);
    });
  });
});
