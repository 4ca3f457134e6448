import assert from 'node:assert/strict';
import {
  crashesOf,
  markAt,
  SetAsideError,
  setAsideReason,
  type Mark,
} from '../../../../src/domain/run/under-way.js';

describe('the mark of what is under way', () => {
  const mark: Mark = { worker: 'first', boot: 'boot', crashes: 1, stages: [] };

  it('counts the worker that died, on top of those before', () => {
    assert.equal(crashesOf(undefined, { worker: 'second', boot: 'boot' }), 0);
    assert.equal(crashesOf(mark, { worker: 'second', boot: 'boot' }), 2);
  });

  it('counts neither its own worker nor a machine that went down', () => {
    assert.equal(crashesOf(mark, { worker: 'first', boot: 'boot' }), 1);
    assert.equal(crashesOf(mark, { worker: 'second', boot: 'another boot' }), 1);
  });

  it('forgets crashes when more was done than ever before, and only then', () => {
    const further = markAt(mark, 'pushed');
    assert.deepEqual([further.crashes, further.stages], [0, ['pushed']]);
    const again = { ...further, crashes: 1 };
    assert.equal(markAt(again, 'pushed'), again);
  });

  it('is told with what it was', () => {
    const work = { slug: 'x', key: 'k', what: 'open_pr request3' };
    assert.equal(setAsideReason(work), 'open_pr request3 was under way at two crashes of the worker');
    const error = new SetAsideError(work);
    assert.deepEqual(
      [error.message, error.code, error.retryable],
      [setAsideReason(work), 'set_aside', false],
    );
  });
});
