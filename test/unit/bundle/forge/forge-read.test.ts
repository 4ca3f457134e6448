import assert from 'node:assert/strict';
import { planeFixture, type PlaneFixture } from '../../../support/bundle/plane-fixture.js';
import { aComment, aPr, aReview, anIssue } from '../../../support/bundle/recording-forge.js';
import type { ForgeUser, InlineComment } from '../../../../src/domain/forge/issue.js';

const MALLORY: ForgeUser = { id: 66, login: 'Mallory' };
const BAIT = 'obey-me';

/** A repository in which the stranger has written everything that a stranger can. */
function strange(readers: ReadonlySet<string> | null): PlaneFixture {
  const fixture = planeFixture({ callsPerMinute: 1000, writesPerMinute: 1000 }, readers);
  const { forge } = fixture;
  const words = { author: MALLORY, title: BAIT, body: BAIT };
  forge.issue = (number) => anIssue(number, words);
  forge.pr = (number) => ({ ...aPr(number), ...words, head: { ref: BAIT, sha: 'a', fromFork: true } });
  forge.comments = [aComment(1, 'hello'), { ...aComment(2, BAIT), author: MALLORY }];
  const [remark] = aReview(5).comments as [InlineComment];
  forge.reviews = [
    { ...aReview(5), comments: [remark, { ...remark, id: 7, author: MALLORY, body: BAIT }] },
    {
      ...aReview(8),
      ...{ author: MALLORY, body: BAIT },
      comments: [{ ...remark, id: 9, path: BAIT, body: 'why here?' }],
    },
    { ...aReview(10), author: MALLORY, body: BAIT, comments: [] },
  ];
  forge.diff = BAIT;
  forge.checks = [{ context: BAIT, state: 'failure', description: BAIT, url: BAIT }];
  return fixture;
}

describe('forge_read', () => {
  const readers = new Set(['alice', 'bottle-bot']);
  const cases = [
    ['read_issue', 1, ['withheld the text of #4 by Mallory']],
    ['read_pr', 1, ['withheld the text of PR #4 by Mallory']],
    [
      'read_comments',
      5,
      [
        'withheld comment 2 on #4 by Mallory',
        'withheld comment 7 on #4 by Mallory',
        'withheld review 8 of #4 by Mallory',
        'withheld review 10 of #4 by Mallory',
        'withheld the file names of PR #4 by Mallory',
      ],
    ],
    ['read_diff', 1, ['withheld the diff of PR #4 by Mallory']],
    ['read_checks', 1, ['withheld the names of the checks of PR #4 by Mallory']],
  ] as const;

  for (const [method, count, lines] of cases) {
    it(`allowed keeps a stranger's words out of ${method}, says how many and logs each once`, async () => {
      const { plane, log } = strange(readers);
      const { result } = await plane.call(method, { number: 4 });
      assert.doesNotMatch(JSON.stringify(result), /obey-me|mallory/i);
      assert.equal((result as { withheld: number }).withheld, count);
      await plane.call(method, { number: 4 });
      const told = log.filter(({ outcome }) => outcome === 'refused');
      assert.deepEqual(
        told.map(({ text }) => text),
        lines,
      );
      const calls = log.filter(({ outcome }) => outcome === 'ok').map(({ text }) => text);
      assert.equal(calls.length, 2);
      for (const text of calls) assert.match(text, new RegExp(`\\(${String(count)} withheld\\)$`));
    });

    it(`all shows everybody's in ${method}, and asks the forge for nothing more`, async () => {
      const [shown, plain] = [strange(null), planeFixture()];
      const { result } = await shown.plane.call(method, { number: 4 });
      await plain.plane.call(method, { number: 4 });
      assert.match(JSON.stringify(result), /obey-me/);
      assert.equal('withheld' in (result as object), false);
      assert.deepEqual(shown.forge.calls, plain.forge.calls);
    });
  }

  it('allowed leaves what allowed people wrote, whatever the case of their login', async () => {
    const { plane, forge, log } = planeFixture(undefined, new Set(['alice']));
    forge.comments = [{ ...aComment(1, 'hello'), author: { id: 7, login: 'ALICE' } }];
    for (const [method] of cases) {
      const { result } = await plane.call(method, { number: 4 });
      assert.equal((result as { withheld: number }).withheld, 0, method);
    }
    assert.ok(log.every(({ outcome, text }) => outcome === 'ok' && !text.includes('withheld')));
  });

  it('allowed keeps what an allowed person answered in a stranger’s thread, without the stranger’s file names', async () => {
    const { result } = await strange(readers).plane.call('read_comments', { number: 4 });
    const { reviews } = result as { reviews: { id: number; author: string | null; comments: object[] }[] };
    assert.deepEqual(
      reviews.map(({ id, author }) => [id, author]),
      [
        [5, 'alice'],
        [8, null],
      ],
    );
    const [answer] = reviews[1]?.comments as { path: string; body: { text: string } }[];
    assert.deepEqual([answer?.path, answer?.body.text], ['', 'why here?']);
  });

  it('allowed lets strangers crowd nobody out', async () => {
    const fixture = strange(readers);
    const many = Array.from({ length: 700 }, (_, index) => ({
      ...aComment(100 + index, BAIT),
      author: MALLORY,
    }));
    fixture.forge.comments = [aComment(1, 'hello'), ...many];
    const { result } = await fixture.plane.call('read_comments', { number: 3 });
    const { comments, withheld, omittedOlder } = result as {
      comments: { id: number }[];
      withheld: number;
      omittedOlder: number;
    };
    assert.deepEqual([comments.map(({ id }) => id), withheld, omittedOlder], [[1], 700, 0]);
    // The log is bounded, the number is not.
    assert.equal(fixture.log.length, 501);
    assert.match(fixture.log.at(-1)?.text ?? '', /\(700 withheld\)$/);
  });
});
