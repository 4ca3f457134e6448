import assert from 'node:assert/strict';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import type { ForgeUser, Review } from '../../../../src/domain/forge/issue.js';
import type { Hint } from '../../../../src/webhook/events/hint.js';
import { ALICE, BOT, type FakeForge, user } from '../../../support/webhook/fake-forge.js';
import { aHint, aPullHint } from '../../../support/webhook/hints.js';
import { ReferenceReader } from '../../../support/webhook/reference-reader.js';

const CAROL = user('carol', 5);
const MALLORY = user('mallory', 66);
const HEAD = 'c0ffee';

describe('what people wrote and pushed', () => {
  let reader: ReferenceReader;
  let forge: FakeForge;

  beforeEach(() => {
    reader = new ReferenceReader();
    ({ forge } = reader);
    forge.permissions.set('carol', 'write');
  });

  const said = (commentId = 77, changes: Partial<Hint> = {}): Hint =>
    aHint({ cause: { kind: 'comment', commentId }, ...changes });
  const away = (): never => {
    throw new ForgeHttpError(503, 'GET', '/', 'away');
  };

  describe('as a comment', () => {
    it('is a reference to it: where, whose and when, and none of its words', async () => {
      forge.putComment(77, ALICE, 'hurry');
      const [{ key, ...rest } = assert.fail()] = await reader.referencesOf(said());
      assert.match(key, /^comment:77:[0-9a-f]{32}$/);
      assert.deepEqual(rest, { kind: 'comment', number: 12, id: 77, sha: '', author: 'alice', at: 7000 });
    });

    const people: [what: string, author: ForgeUser, sender: ForgeUser | null, kind: string][] = [
      ['somebody who may wake the agent', ALICE, ALICE, 'references'],
      ['somebody who may, changed by another who may', ALICE, CAROL, 'references'],
      ['somebody who may, found by ourselves', ALICE, null, 'references'],
      ['somebody who may not', MALLORY, MALLORY, 'not_allowed'],
      ['somebody who may not, changed by one who may', MALLORY, ALICE, 'not_allowed'],
      ['somebody who may, changed by one who may not', ALICE, MALLORY, 'not_allowed'],
      ['somebody who may not, found by ourselves', MALLORY, null, 'not_allowed'],
      ['the bot', BOT, ALICE, 'own'],
      ['the bot, found by ourselves', BOT, null, 'own'],
      ['somebody, changed by the bot', ALICE, BOT, 'own'],
    ];
    for (const [what, author, sender, kind] of people) {
      it(`of ${what} comes to ${kind}`, async () => {
        forge.putComment(77, author, 'x');
        assert.equal(await reader.kindOf(said(77, { sender })), kind);
      });
    }

    it('of an ignored account counts for nothing, whoever else had a hand in it and whatever its rights', async () => {
      const ignored = new Set(['carol']);
      forge.putComment(77, user('Carol', 5), 'x');
      assert.equal(await reader.kindOf(said(), { ignored }), 'ignored');
      forge.putComment(77, ALICE, 'x');
      assert.equal(await reader.kindOf(said(77, { sender: user('CAROL', 5) }), { ignored }), 'ignored');
      assert.equal(await reader.kindOf(said(), { ignored }), 'references');
    });

    it('by the bot is not even read', async () => {
      await reader.kindOf(said(77, { sender: BOT }));
      assert.deepEqual([forge.calls, reader.asked], [[], []]);
    });

    it('that is gone is taken back, whoever took it', async () => {
      assert.deepEqual(await reader.verdictOf(said(404, { sender: MALLORY })), {
        ...{ kind: 'withdrawn', commentId: 404 },
      });
    });

    it('is kept for later when the forge does not answer', async () => {
      forge.fault = away;
      await assert.rejects(reader.read([said()]), ForgeHttpError);
    });

    it('in a thread on a line is looked for among the reviews of the pull request', async () => {
      const inline = { id: 90, author: ALICE, updatedAt: new Date(9000).toISOString(), path: 'a', line: 1 };
      forge.reviews.set(31, [
        reviewBy(ALICE, 5),
        { ...reviewBy(CAROL, 6), comments: [{ ...inline, body: 'x' }] },
      ]);
      const hint = aPullHint({ cause: { kind: 'comment', commentId: 90 } });
      const [{ key, ...rest } = assert.fail()] = await reader.referencesOf(hint);
      assert.match(key, /^comment:90:/);
      assert.deepEqual(rest, { kind: 'inline', number: 31, id: 90, sha: '', author: 'alice', at: 9000 });
      const other = aPullHint({ cause: { kind: 'comment', commentId: 91 } });
      assert.equal(await reader.kindOf(other), 'withdrawn');
    });

    it('of an issue is looked for among no reviews', async () => {
      assert.equal(await reader.kindOf(said(404)), 'withdrawn');
      assert.ok(!forge.calls.includes('reviews'));
    });

    it('is judged each on its own, in order', async () => {
      forge.putComment(1, ALICE, 'x');
      forge.putComment(2, MALLORY, 'x');
      const verdicts = await reader.read([said(1), said(2), said(3), said(1)]);
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['references', 'not_allowed', 'withdrawn', 'references'],
      );
    });
  });

  const reviewBy = (author: ForgeUser, id: number, second = id, body = ''): Review => ({
    ...{ id, author, state: 'commented', body, comments: [] },
    submittedAt: new Date(second * 1000).toISOString(),
  });

  describe('as a review', () => {
    const reviewed = (reviewId: number | null, changes: Partial<Hint> = {}, second = 1000): Hint => {
      const since = new Date(second * 1000).toISOString();
      return aPullHint({ cause: { kind: 'review', reviewId, since }, ...changes });
    };
    const ids = async (hint: Hint): Promise<readonly number[]> =>
      (await reader.referencesOf(hint)).map(({ id }) => id);

    it('is a reference to the one that is meant', async () => {
      forge.reviews.set(31, [reviewBy(ALICE, 1), reviewBy(ALICE, 2), reviewBy(CAROL, 3)]);
      assert.deepEqual(await reader.referencesOf(reviewed(2)), [
        { key: 'review:2', kind: 'review', number: 31, id: 2, sha: '', author: 'alice', at: 2000 },
      ]);
    });

    it('without a number is the sender’s of the last minute before the pull request was touched', async () => {
      forge.reviews.set(31, [
        ...[reviewBy(ALICE, 1, 100), reviewBy(ALICE, 2, 939), reviewBy(ALICE, 3, 940)],
        ...[reviewBy(CAROL, 4, 1000), reviewBy(ALICE, 5, 1001)],
      ]);
      assert.deepEqual(await ids(reviewed(null)), [3, 5]);
      assert.deepEqual(await ids(reviewed(null, { sender: null })), [3, 4, 5]);
    });

    it('without a number and of no such time is the sender’s newest', async () => {
      forge.reviews.set(31, [reviewBy(ALICE, 1, 100), reviewBy(ALICE, 2, 200), reviewBy(CAROL, 3, 300)]);
      assert.deepEqual(await ids(reviewed(null)), [2]);
    });

    it('that is not there is gone', async () => {
      assert.equal(await reader.kindOf(reviewed(2)), 'gone');
      assert.equal(await reader.kindOf(reviewed(null)), 'gone');
    });

    it('counts for those alone who may wake the agent', async () => {
      forge.reviews.set(31, [reviewBy(ALICE, 1, 1000), reviewBy(MALLORY, 2, 1000), reviewBy(BOT, 3, 1000)]);
      assert.deepEqual(await ids(reviewed(null, { sender: null })), [1]);
    });
  });

  describe('as a push', () => {
    const pushed = (changes: Partial<Hint> = {}): Hint => aPullHint({ cause: { kind: 'push' }, ...changes });

    it('is a reference to the head as it is now', async () => {
      assert.deepEqual(await reader.referencesOf(pushed()), [
        { key: 'push:c0ffee', kind: 'push', number: 31, id: 0, sha: HEAD, author: 'alice', at: 5000 },
      ]);
    });

    it('that nobody told of is whoever’s the timeline says brought it to this head', async () => {
      forge.act(31, 'pushed', HEAD, 1000, ALICE);
      forge.act(31, 'pushed', 'another', 2000, BOT);
      forge.act(31, 'labeled', HEAD, 3000, MALLORY);
      const [reference] = await reader.referencesOf(pushed({ sender: null }));
      assert.equal(reference?.author, 'alice');
      forge.act(31, 'pushed', HEAD, 4000, BOT);
      assert.equal(await reader.kindOf(pushed({ sender: null })), 'own', 'the last who did');
    });

    it('is gone when nobody knows whose it is, or the pull request is', async () => {
      assert.equal(await reader.kindOf(pushed({ sender: null })), 'gone');
      forge.pulls.clear();
      assert.equal(await reader.kindOf(pushed()), 'gone');
    });
  });

  it('is gone where it was nothing that can be referred to', async () => {
    assert.equal(await reader.kindOf(aHint()), 'gone');
  });

  describe('where only a mention wakes', () => {
    const world = { wakeOn: 'mention' } as const;

    it('counts with a mention of an assignee who is a member, in any case', async () => {
      for (const [text, kind] of [
        ['please, @Bot, go on', 'references'],
        ['what do you think?', 'not_mentioned'],
        ['@alice is assigned, but no member', 'not_mentioned'],
      ] as const) {
        forge.putComment(77, ALICE, text);
        assert.equal(await reader.kindOf(said(), world), kind, text);
      }
      forge.putComment(77, ALICE, '@bot');
      forge.putIssue(12, { assignees: [ALICE] });
      assert.equal(await reader.kindOf(said(), world), 'not_mentioned', 'a member who is not assigned');
    });

    it('counts as a review that mentions him in its text or on a line', async () => {
      const line = { id: 9, author: ALICE, updatedAt: '', path: 'a', line: 1, body: 'and here\n@bot' };
      const hint = aPullHint({ cause: { kind: 'review', reviewId: 1, since: '' } });
      for (const [review, kind] of [
        [reviewBy(ALICE, 1, 1, '@bot look'), 'references'],
        [{ ...reviewBy(ALICE, 1, 1, 'see'), comments: [line] }, 'references'],
        [reviewBy(ALICE, 1, 1, 'see'), 'not_mentioned'],
      ] as const) {
        forge.reviews.set(31, [review]);
        assert.equal(await reader.kindOf(hint, world), kind);
      }
    });

    it('counts as a push without one', async () => {
      assert.equal(await reader.kindOf(aPullHint({ cause: { kind: 'push' } }), world), 'references');
    });
  });
});
