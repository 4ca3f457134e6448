import assert from 'node:assert/strict';
import { violationsOf, type LifeEvidence } from '../../support/chaos/oracle.js';

const GOOD: LifeEvidence = {
  life: 3,
  issue: 5,
  slugs: ['demo-alice-demo-5-abcde'],
  ended: true,
  pulls: [6],
  comments: [
    { comment: 1, toldIn: [2], answered: true },
    { comment: 2, toldIn: [2], answered: true },
  ],
  postedTwice: [],
  left: [],
  trouble: [],
};

/** Each is a life that is good but for one thing. */
const BAD: readonly {
  readonly name: string;
  readonly change: Partial<LifeEvidence>;
  readonly says: RegExp;
}[] = [
  { name: 'two pull requests', change: { pulls: [6, 7] }, says: /^2 pull requests: 6, 7$/ },
  { name: 'no pull request', change: { pulls: [] }, says: /^0 pull requests/ },
  {
    name: 'a comment that was told twice',
    change: { comments: [{ comment: 1, toldIn: [2, 3], answered: true }] },
    says: /^comment 1 was told in turns 2, 3$/,
  },
  {
    name: 'a comment that was told twice in a prompt',
    change: { comments: [{ comment: 1, toldIn: [2, 2], answered: true }] },
    says: /^comment 1 was told in turns 2, 2$/,
  },
  {
    name: 'a comment that was lost',
    change: { comments: [{ comment: 2, toldIn: [], answered: false }] },
    says: /^comment 2 was never told$/,
  },
  {
    name: 'a comment without an answer',
    change: { comments: [{ comment: 2, toldIn: [4], answered: false }] },
    says: /^comment 2 was not answered$/,
  },
  {
    name: 'a container that is left',
    change: { left: ['container bb-demo-alice-demo-5-abcde-agent'] },
    says: /^left behind: container bb-demo-alice-demo-5-abcde-agent$/,
  },
  { name: 'no end', change: { ended: false }, says: /^it has not ended$/ },
  { name: 'a second run', change: { slugs: ['one', 'two'] }, says: /^2 runs: one, two$/ },
  { name: 'no run', change: { slugs: [] }, says: /^0 runs/ },
  {
    name: 'a post that was made twice',
    change: { postedTwice: ['once-3-0'] },
    says: /^posted more than once: once-3-0$/,
  },
  {
    name: 'a person who gave up',
    change: { trouble: ['asked to go on 6 times'] },
    says: /^asked to go on 6 times$/,
  },
  { name: 'no issue', change: { issue: null }, says: /^it has not begun$/ },
];

describe('the oracle of the kill harness', () => {
  it('has nothing against a life that is as it should be', () => {
    assert.deepEqual(violationsOf(GOOD), []);
  });

  for (const { name, change, says } of BAD)
    it(`bites at ${name}`, () => {
      const wrong = violationsOf({ ...GOOD, ...change });
      assert.equal(wrong.length, 1, wrong.join('; '));
      assert.match(wrong[0] ?? '', says);
    });

  it('says all that is wrong', () => {
    assert.equal(violationsOf({ ...GOOD, ended: false, pulls: [6, 7], left: ['volume one'] }).length, 3);
  });
});
