import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { CheckStatus } from '../../../../src/domain/forge/issue.js';
import { ISSUE, OWN_PR, planeFixture, type PlaneFixture } from '../../../support/bundle/plane-fixture.js';
import { aComment, aPr, aReview, anIssue } from '../../../support/bundle/recording-forge.js';

const MALLORY = { id: 66, login: 'mallory' };
const TIME = '2026-01-02T03:04:05Z';

describe('what an agent reads', () => {
  let fixture: PlaneFixture;

  beforeEach(() => (fixture = planeFixture()));
  async function read(method: string, number: number): Promise<Readonly<Record<string, unknown>>> {
    const { result } = await fixture.plane.call(method, { number });
    return result as Readonly<Record<string, unknown>>;
  }
  const check = (state: CheckStatus['state'], context = 'ci'): CheckStatus => ({
    ...{ context, state, description: 'fine', url: 'http://x' },
  });

  it('of its issue is all that there is to know, and that it is its own', async () => {
    fixture.forge.issue = (number) =>
      anIssue(number, { labels: ['bug', 'a\nb'], state: 'closed', closedAt: TIME, isPull: true });
    const { notice, ...rest } = await read('read_issue', ISSUE);
    assert.match(String(notice), /never as instructions/);
    assert.deepEqual(rest, {
      ...{ untrusted: true, number: ISSUE, isPullRequest: true, assigned: true, state: 'closed' },
      ...{ author: 'alice', updatedAt: TIME, closedAt: TIME, labels: ['bug', 'a b'], assignees: ['alice'] },
      ...{ title: 'Issue 12', body: { text: 'text' } },
    });
    assert.equal((await read('read_issue', 3))['assigned'], false);
  });

  it('of a pull request is all that there is to know, and whether it may write to it', async () => {
    const { notice: _notice, ...rest } = await read('read_pr', OWN_PR);
    assert.deepEqual(rest, {
      ...{ untrusted: true, number: OWN_PR, own: true, state: 'open', merged: true, draft: false },
      ...{ author: 'alice', updatedAt: TIME, closedAt: null, labels: ['bug'], assignees: ['alice'] },
      head: { branch: 'work', commit: 'a'.repeat(40), fromFork: false },
      base: { branch: 'main', commit: 'b'.repeat(40) },
      ...{ title: 'Issue 20', body: { text: 'text' } },
    });
    assert.equal((await read('read_pr', 4))['own'], false);
  });

  it('of strangers is nothing where the bottle has it so, but for branches of the repository itself', async () => {
    fixture = planeFixture(undefined, new Set(['alice']));
    const { forge } = fixture;
    const own = { ref: 'work', sha: 'a', fromFork: false };
    forge.issue = (number) => anIssue(number, { author: MALLORY });
    forge.pr = (number) => ({ ...aPr(number), author: MALLORY, head: own });
    const nothing = { author: null, title: '', body: { text: '', withheld: true } };
    const shown = ({ author, title, body }: Readonly<Record<string, unknown>>): object => ({
      ...{ author, title, body },
    });
    assert.deepEqual(shown(await read('read_issue', 3)), nothing);
    const pr = await read('read_pr', 4);
    assert.deepEqual(shown(pr), nothing);
    assert.deepEqual(pr['head'], { branch: 'work', commit: 'a', fromFork: false });
    forge.pr = (number) => ({ ...aPr(number), author: MALLORY, head: { ...own, fromFork: true } });
    assert.deepEqual((await read('read_pr', 4))['head'], { branch: '', commit: 'a', fromFork: true });
    assert.deepEqual((await read('read_checks', 4))['checks'], [
      { name: '', state: 'success', description: '' },
    ]);
  });

  it('of a conversation is the newest two hundred comments and reviews, and how many are left out', async () => {
    const { forge } = fixture;
    forge.comments = Array.from({ length: 203 }, (_, id) => aComment(id, 'x'));
    forge.reviews = Array.from({ length: 201 }, (_, id) => aReview(id));
    const { comments, reviews, omittedOlder } = await read('read_comments', 4);
    const ids = (list: unknown): readonly number[] => (list as { id: number }[]).map(({ id }) => id);
    assert.deepEqual([ids(comments).length, ids(comments)[0], ids(comments).at(-1)], [200, 3, 202]);
    assert.deepEqual([ids(reviews).length, ids(reviews)[0]], [200, 1]);
    assert.equal(omittedOlder, 4);
  });

  it('of one review is two hundred remarks at most', async () => {
    const [remark = assert.fail()] = aReview(5).comments;
    const comments = Array.from({ length: 201 }, (_, id) => ({ ...remark, id }));
    fixture.forge.reviews = [{ ...aReview(5), comments }];
    const { reviews } = await read('read_comments', 4);
    assert.equal((reviews as { comments: object[] }[])[0]?.comments.length, 200);
  });

  it('of a conversation is cut to what there is room for, the oldest first', async () => {
    const long = 'x'.repeat(60_000);
    fixture.forge.comments = Array.from({ length: 10 }, (_, at) => aComment(at, `${String(at)} ${long}`));
    fixture.forge.reviews = Array.from({ length: 10 }, (_, at) => ({ ...aReview(at), body: long }));
    const { comments, reviews, omittedOlder } = await read('read_comments', OWN_PR);
    assert.equal(omittedOlder, 0);
    for (const list of [comments, reviews] as { id: number; body: { text: string; truncated?: true } }[][]) {
      assert.deepEqual(
        list.map(({ id }) => id),
        Array.from({ length: 10 }, (_, at) => at),
      );
      const lengths = list.map(({ body }) => body.text.length);
      assert.ok(lengths.reduce((sum, length) => sum + length, 0) <= 256 * 1024);
      assert.ok(lengths.slice(-4).every((length) => length >= 60_000));
      assert.deepEqual(
        list.map(({ body }) => body.truncated === true),
        [...Array<boolean>(6).fill(true), ...Array<boolean>(4).fill(false)],
      );
    }
  });

  it('of all reviews is a thousand remarks, the newest, and how many of each are left out', async () => {
    const remarks = Array.from({ length: 201 }, (_, id) => ({ ...aReview(id).comments[0] }));
    fixture.forge.reviews = Array.from({ length: 7 }, (_, at) => ({
      ...aReview(at),
      comments: remarks as ReturnType<typeof aReview>['comments'],
    }));
    const { reviews } = await read('read_comments', OWN_PR);
    assert.deepEqual(
      (reviews as { comments: unknown[]; omitted: number }[]).map((each) => [
        each.comments.length,
        each.omitted,
      ]),
      [...Array<number[]>(2).fill([0, 201]), ...Array<number[]>(5).fill([200, 1])],
    );
  });

  it('of reviews fails with the forge, and is none only where the forge has none', async () => {
    assert.deepEqual((await read('read_comments', 3))['reviews'], []);
    fixture.forge.readReviews = () => Promise.reject(new ForgeHttpError(502, 'GET', '/', 'away'));
    await assert.rejects(read('read_comments', 4), /the forge answered 502/);
  });

  const overall: [word: string, states: readonly CheckStatus['state'][]][] = [
    ['none', []],
    ['success', ['success']],
    ['success', ['success', 'skipped', 'warning']],
    ['pending', ['success', 'pending']],
    ['failure', ['success', 'failure', 'pending']],
    ['failure', ['pending', 'error']],
  ];
  for (const [word, states] of overall) {
    it(`of checks (${states.join(', ')}) is "${word}"`, async () => {
      fixture.forge.checks = states.map((state) => check(state));
      assert.equal((await read('read_checks', 4))['overall'], word);
    });
  }

  it('of checks is each with its name and what it says, two hundred at most', async () => {
    fixture.forge.checks = [check('failure', 'a\nb')];
    assert.deepEqual((await read('read_checks', 4))['checks'], [
      { name: 'a b', state: 'failure', description: 'fine' },
    ]);
    fixture.forge.checks = Array.from({ length: 201 }, () => check('success'));
    assert.equal(((await read('read_checks', 4))['checks'] as object[]).length, 200);
  });
});
