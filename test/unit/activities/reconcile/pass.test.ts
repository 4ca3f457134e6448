import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { FeedComment } from '../../../../src/domain/forge/forge-feed.js';
import type { Place } from '../../../../src/domain/forge/issue.js';
import { feedSubject, NOW, PLACE } from '../../../support/reconcile/feed-here.js';
import { PassHere } from '../../../support/reconcile/pass-here.js';

const TRIGGER = { labels: ['bot-bottle:coder'], assignees: ['bot'] };
const OTHER: Place = { repoId: 8, owner: 'bob', repo: 'other' };
const MOVED: Place = { ...PLACE, owner: 'carol', repo: 'renamed' };
const FORBIDDEN = new ForgeHttpError(403, 'GET', '/', 'forbidden');

describe('a pass of the reconciler', () => {
  let world: PassHere;
  beforeEach(() => {
    world = new PassHere();
  });
  const askedFor = (start: string): readonly string[] =>
    world.feed.asked.filter((request) => request.startsWith(start));

  describe('over what has changed', () => {
    it('posts what may be a trigger, once as long as it stays as it is', async () => {
      world.feed.issues = [feedSubject(1, TRIGGER), feedSubject(2)];
      assert.deepEqual(await world.news(), ['demo#1 state']);
      assert.deepEqual(world.accepted[0], {
        ...{
          forge: 'gitea',
          owner: 'alice',
          repo: 'demo',
          repoId: 7,
          number: 1,
          isPull: false,
          headRef: null,
        },
        ...{ cause: { kind: 'state' }, seen: world.accepted[0]?.seen },
      });
      world.feed.issues = [feedSubject(1, { ...TRIGGER, updatedAt: NOW })];
      world.now = NOW + 30_000;
      world.feed.at = world.now;
      assert.deepEqual(await world.news(), ['demo#1 state']);
      assert.deepEqual(await world.news(), []);
      assert.deepEqual(world.feed.asked.slice(0, 2), [
        'changed alice/demo all 1',
        'changed alice/demo since 1',
      ]);
    });

    it('reads page by page, and leaves none out', async () => {
      world.feed.pageSize = 2;
      world.feed.issues = [1, 2, 3, 4, 5].map((number) => feedSubject(number, TRIGGER));
      assert.equal((await world.news()).length, 5);
      assert.deepEqual(
        askedFor('changed'),
        [1, 2, 3].map((page) => `changed alice/demo all ${String(page)}`),
      );
    });

    it('leaves out repositories that are not served, unless a run is in them', async () => {
      world.repos = ['bob/*'];
      world.serves = (_owner, repo) => repo !== 'private';
      world.feed.places = [PLACE, OTHER, { repoId: 9, owner: 'bob', repo: 'private' }];
      world.feed.issues = [
        feedSubject(1, { ...TRIGGER, place: OTHER }),
        feedSubject(2, { ...TRIGGER, place: { repoId: 9, owner: 'bob', repo: 'private' } }),
      ];
      assert.deepEqual(await world.news(), ['other#1 state']);
      world.addRun({ repoId: 9, owner: 'bob', repo: 'private', issueNumber: 4 });
      world.feed.issues = [
        feedSubject(2, { ...TRIGGER, place: { repoId: 9, owner: 'bob', repo: 'private' }, updatedAt: NOW }),
      ];
      assert.ok((await world.news()).includes('private#2 state'));
    });

    it('follows a repository that was renamed since it was first read', async () => {
      world.feed.issues = [feedSubject(1, TRIGGER)];
      await world.pass();
      assert.deepEqual(world.state.ids, { 'alice/demo': 7 });
      world.feed.places = [MOVED];
      world.feed.issues = [feedSubject(3, { ...TRIGGER, place: MOVED, updatedAt: NOW })];
      assert.deepEqual(await world.news(), ['renamed#3 state']);
      assert.deepEqual(world.levels.slice(1), ['warn', 'info'], 'there is nothing under the old name');
      world.feed.asked.length = 0;
      await world.pass();
      assert.deepEqual(askedFor('changed carol'), ['changed carol/renamed since 1'], 'its list goes on');
    });

    it('reads a repository under its own name once, and one that is gone not at all', async () => {
      world.repos = ['Alice/demo'];
      world.feed.places = [{ ...PLACE, owner: 'Alice' }];
      world.feed.issues = [feedSubject(1, { ...TRIGGER, place: { ...PLACE, owner: 'Alice' } })];
      await world.pass();
      world.feed.asked.length = 0;
      await world.pass();
      assert.equal(askedFor('changed').length, 1);
      world.feed.places = [];
      world.feed.asked.length = 0;
      await world.pass();
      assert.deepEqual(world.feed.asked, ['changed Alice/demo since 1', 'where 7']);
    });

    it('learns the ids of repositories that are named only, and of each once', async () => {
      world.repos = ['alice/*', 'bob/other'];
      world.feed.places = [PLACE, OTHER];
      world.feed.issues = [feedSubject(1), feedSubject(1, { place: OTHER })];
      await world.pass();
      assert.deepEqual(world.state.ids, { 'bob/other': 8 });
      const successor = { ...OTHER, repoId: 20 };
      world.feed.places = [PLACE, successor, { ...OTHER, repo: 'moved' }];
      world.feed.issues = [feedSubject(2, { place: successor, updatedAt: NOW })];
      await world.pass();
      assert.deepEqual(world.state.ids, { 'bob/other': 8 }, 'another one has its name by now');
    });

    it('looks at a pull request that may be a run’s when it has changed, in the same pass', async () => {
      world.addRun({ issueNumber: 12, prNumber: null });
      const pull = feedSubject(13, { isPull: true });
      world.feed.issues = [feedSubject(12), pull];
      assert.ok((await world.news()).includes('demo#13 state'));
      assert.deepEqual(askedFor('pull'), ['pull demo#13']);
      assert.deepEqual(world.state.pulls, []);
    });

    it('looks at no pull request that has another run, and at none twice', async () => {
      world.addRun({ issueNumber: 12, prNumber: 14 });
      world.feed.issues = [
        feedSubject(12),
        feedSubject(13, { isPull: true }),
        feedSubject(14, { isPull: true }),
        feedSubject(15),
      ];
      await world.pass();
      assert.deepEqual(new Set(askedFor('pull')), new Set(['pull demo#14']));
      world.feed.asked.length = 0;
      world.feed.at = NOW;
      await world.pass();
      assert.deepEqual(askedFor('pull'), ['pull demo#14'], 'the run’s own; nothing has changed');
    });

    it('leaves a pull request that is still to be looked at to the next pass', async () => {
      world.addRun({ issueNumber: 12, prNumber: 14 });
      world.feed.issues = [feedSubject(12), feedSubject(14, { isPull: true })];
      world.feed.fault = (request) =>
        request === 'pull demo#14' ? new ForgeHttpError(429, 'GET', '/', 'slow') : undefined;
      await world.pass();
      assert.deepEqual(world.state.pulls, [{ repoId: 7, number: 14 }]);
    });
  });

  describe('over what people write', () => {
    const said = (id: number, changes: Partial<FeedComment> = {}): FeedComment => ({
      ...{ id, number: 12, isPull: false, body: `said ${String(id)}`, updatedAt: NOW - 60_000 },
      ...changes,
    });

    it('posts what is said under a run’s issue since its trigger, page by page', async () => {
      world.addRun();
      world.feed.issues = [feedSubject(12)];
      world.feed.pageSize = 2;
      world.feed.said = [said(1), said(2, { number: 13 }), said(3), said(4, { updatedAt: NOW - 7_200_000 })];
      const news = (await world.news()).filter((one) => one.includes('comment'));
      assert.deepEqual(news, ['demo#12 comment 1', 'demo#12 comment 3']);
      assert.deepEqual(askedFor('comments'), ['comments demo 1', 'comments demo 2']);
      world.feed.asked.length = 0;
      world.feed.said = [said(5, { updatedAt: NOW - 5_000 })];
      assert.deepEqual(await world.news(), ['demo#12 comment 5']);
    });

    it('reads none where no run is, and of a repository that is gone', async () => {
      await world.pass();
      assert.deepEqual(askedFor('comments'), []);
      world.addRun();
      world.feed.places = [];
      await world.pass();
      assert.deepEqual(askedFor('comments'), []);
    });

    it('reads them where the repository is now', async () => {
      world.addRun();
      world.feed.places = [MOVED];
      world.feed.issues = [feedSubject(12, { place: MOVED })];
      world.feed.said = [said(1)];
      assert.ok((await world.news()).includes('renamed#12 comment 1'));
      assert.equal(askedFor('where').length, 1, 'asked for once a pass');
    });
  });

  describe('over the runs that go on', () => {
    it('posts the state of each, also one that had no change', async () => {
      world.repos = ['bob/*'];
      world.addRun();
      world.feed.issues = [feedSubject(12, { state: 'closed' })];
      assert.deepEqual(await world.news(), ['demo#12 state']);
    });

    it('posts that an issue is not there', async () => {
      const { slug } = world.addRun();
      assert.deepEqual(await world.news(), ['demo#12 state']);
      assert.match(world.accepted[0]?.seen ?? '', /^missing /);
      assert.ok(slug in world.state.runs);
    });

    it('posts that a repository is not there', async () => {
      world.addRun();
      world.addRun({ issueNumber: 13 });
      world.feed.places = [];
      assert.deepEqual(await world.news(), ['demo#12 state', 'demo#13 state']);
    });

    it('posts nothing of one that waits for its repository, until that is there again: then at each pass', async () => {
      world.addRun({ status: 'frozen', reason: 'unserved' });
      world.feed.issues = [feedSubject(12, TRIGGER)];
      await world.pass();
      world.feed.places = [];
      assert.deepEqual(await world.news(), []);
      world.feed.places = [PLACE];
      for (const _pass of [1, 2]) {
        world.now += 60_000;
        assert.deepEqual(await world.news(), ['demo#12 state']);
        assert.match(world.accepted.at(-1)?.seen ?? '', /^back /);
      }
      world.feed.places = [{ ...PLACE, owner: 'eve' }];
      world.feed.issues = [feedSubject(12, { ...TRIGGER, place: { ...PLACE, owner: 'eve' } })];
      world.repos = ['bob/*'];
      await world.pass();
      world.now += 60_000;
      assert.deepEqual(await world.news(), [], 'where it is not served it is not back');
    });

    it('ends no run while the forge knows nothing at all', async () => {
      world.addRun();
      const away = new ForgeHttpError(0, 'GET', '/user', 'nothing is found');
      world.feed.fault = (request) => (request.startsWith('where') ? away : undefined);
      const { end, detail } = await world.pass();
      assert.deepEqual([end, detail], ['forge', away.message]);
      assert.deepEqual(world.accepted, []);
    });

    it('goes by the name of a repository that nobody has read yet, and takes no word for its end', async () => {
      world.addRun({ repoId: null });
      world.repos = ['bob/*'];
      assert.equal((await world.pass()).end, 'done');
      assert.deepEqual([world.accepted, world.levels], [[], ['warn', 'info']]);
      world.feed.issues = [feedSubject(12, TRIGGER)];
      assert.deepEqual(await world.news(), ['demo#12 state']);
      assert.deepEqual(askedFor('where'), []);
    });

    it('goes on with the others when one cannot be read', async () => {
      world.repos = ['bob/*'];
      world.addRun();
      world.addRun({ issueNumber: 13 });
      world.feed.issues = [feedSubject(12), feedSubject(13)];
      world.feed.fault = (request) => (request === 'subject demo#12' ? FORBIDDEN : undefined);
      assert.deepEqual(await world.news(), ['demo#13 state']);
    });

    it('looks at the pull request where it is now', async () => {
      world.repos = ['bob/*'];
      world.addRun({ prNumber: 14 });
      world.feed.places = [MOVED];
      world.feed.issues = [12, 14].map((number) =>
        feedSubject(number, { place: MOVED, isPull: number === 14 }),
      );
      assert.ok((await world.news()).includes('renamed#14 state'));
    });

    it('counts one that has no row of its trigger from its last change on', async () => {
      world.triggerAt = null;
      world.addRun({ prNumber: 14 });
      world.feed.issues = [feedSubject(12), feedSubject(14, { isPull: true })];
      await world.pass();
      assert.deepEqual(askedFor('pushed'), ['pushed 14 1800000']);
    });

    it('asks the forge about none that is local', async () => {
      world.repos = ['bob/*'];
      world.addRun({ forge: 'local' });
      await world.pass();
      assert.deepEqual(world.feed.asked, ['changed bob/* all 1']);
    });
  });
});
