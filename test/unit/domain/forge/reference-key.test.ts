import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/adapters/system/sha256.js';
import {
  checksKey,
  commentKey,
  pushKey,
  reviewKey,
  textHash,
} from '../../../../src/domain/forge/reference-key.js';

const comment = (id: number, body: string): string => commentKey({ id, body }, sha256);
const checks = (sha: string, ...names: readonly string[]): string =>
  checksKey(
    sha,
    names.map((context) => ({ context })),
    sha256,
  );

describe('what makes two reports the same thing', () => {
  it('is the comment and its words: an edit is another thing', () => {
    assert.equal(comment(1, 'a'), `comment:1:${sha256('a').slice(0, 32)}`);
    assert.notEqual(comment(1, 'a'), comment(1, 'b'));
    assert.notEqual(comment(1, 'a'), comment(2, 'a'));
  });

  it('is the commit and which checks fail on it, in whatever order', () => {
    assert.equal(checks('c0ffee', 'b', 'a'), checks('c0ffee', 'a', 'b'));
    assert.equal(checks('c0ffee', 'a'), `checks:c0ffee:${sha256('["a"]').slice(0, 32)}`);
    assert.notEqual(checks('c0ffee', 'a'), checks('c0ffee', 'a', 'b'));
    assert.notEqual(checks('c0ffee', 'a","b'), checks('c0ffee', 'a', 'b'));
    assert.notEqual(checks('c0ffee', 'a'), checks('decade', 'a'));
  });

  it('is a review by its number and a push by its commit', () => {
    assert.equal(reviewKey(7), 'review:7');
    assert.equal(pushKey('c0ffee'), 'push:c0ffee');
  });

  it('is title, text and base branch of a subject, each by itself', () => {
    const of = (title: string, body: string, ref: string): string => textHash({ title, body, ref }, sha256);
    const all = [
      of('a', 'b', 'c'),
      of('ab', '', 'c'),
      of('x', 'b', 'c'),
      of('a', 'x', 'c'),
      of('a', 'b', 'x'),
    ];
    assert.equal(new Set(all).size, all.length);
    assert.equal(of('a', 'b', 'c'), of('a', 'b', 'c'));
  });
});
