import assert from 'node:assert/strict';
import { askWord, commentBody, countWord, hasWord, issueBody, onceWord } from '../../support/chaos/words.js';

const PLAN = { life: 1, startMs: 0, workSeconds: [1, 2], comments: [], end: 'merge' } as const;

describe('the words of the kill harness', () => {
  it('are not found in longer ones', () => {
    assert.ok(!hasWord('ask-1-11 ask-11-1 my-ask-1-1', askWord(1, 1)));
    assert.equal(countWord('> ask-1-1: please\n(ask-1-1)', askWord(1, 1)), 2);
  });

  it('stand once in a comment, beside a script that does not have them', () => {
    const body = commentBody(PLAN, 4, 2, 'please', [1]);
    assert.equal(countWord(body, askWord(1, 2)), 1);
    assert.equal(countWord(body, askWord(1, 1)), 0);
    assert.match(body, /^comment 4 once-1-2 answer-1-1 answer-1-2$/m);
  });

  it('has a post in the first turn that is made once', () => {
    assert.match(issueBody(PLAN, 4), new RegExp(`^comment 4 ${onceWord(1, 0)}$`, 'm'));
  });
});
