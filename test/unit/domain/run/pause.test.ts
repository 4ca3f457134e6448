import assert from 'node:assert/strict';
import { EVERYWHERE, pauseOf, pauseText, scopeOf } from '../../../../src/domain/run/pause.js';

const pause = (scope: string) => ({ scope, since: 0, who: 'alice@desk' });

describe('a pause', () => {
  it('of a repository is named as forges compare names', () => {
    assert.equal(scopeOf('Alice/Demo'), 'alice/demo');
    for (const none of ['demo', 'a/b/c', '/demo', 'alice/', '*', 'a b/c', '../x', ''])
      assert.equal(scopeOf(none), undefined, none);
  });

  it('holds its own repository back, in whatever letters, and no other', () => {
    const pauses = [pause('alice/demo'), pause('bob/demo')];
    assert.equal(pauseOf(pauses, { owner: 'Alice', repo: 'DEMO' })?.scope, 'alice/demo');
    assert.equal(pauseOf(pauses, { owner: 'alice', repo: 'other' }), undefined);
    assert.equal(pauseOf([], { owner: 'alice', repo: 'demo' }), undefined);
  });

  it('of everything is the one that is told, since it must go first', () => {
    const pauses = [pause('alice/demo'), pause(EVERYWHERE)];
    assert.equal(pauseOf(pauses, { owner: 'alice', repo: 'demo' })?.scope, EVERYWHERE);
    assert.equal(pauseOf(pauses, { owner: 'bob', repo: 'x' })?.scope, EVERYWHERE);
  });

  it('says who has ordered it, and what ends it', () => {
    const since = 'since 1970-01-01T00:00:00.000Z';
    assert.equal(
      pauseText(pause(EVERYWHERE)),
      `new turns are paused by alice@desk ${since}: bot-bottle unpause`,
    );
    assert.equal(
      pauseText(pause('alice/demo')),
      `new turns of alice/demo are paused by alice@desk ${since}: bot-bottle unpause --repo alice/demo`,
    );
  });
});
