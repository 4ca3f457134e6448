import assert from 'node:assert/strict';
import { eitherSignal } from '../../../../src/domain/base/abort-with.js';
import { together } from '../../../../src/activities/turn/together.js';

describe('work side by side', () => {
  it('fails when nothing of the rest is under way any more', async () => {
    let isOver = false;
    const slow = new Promise((resolve) => setImmediate(resolve)).then(() => (isOver = true));
    await assert.rejects(together([Promise.reject(new Error('first')), slow]), /first/);
    assert.ok(isOver);
    assert.deepEqual(await together([Promise.resolve(1), Promise.resolve('two')]), [1, 'two']);
  });

  it('is called off by either of two signals, with its reason, once', () => {
    for (const which of [0, 1]) {
      const sources = [new AbortController(), new AbortController()];
      const both = eitherSignal(...sources.map(({ signal }) => signal));
      assert.equal(both.aborted, false);
      sources[which]?.abort('this one');
      sources[1 - which]?.abort('the other');
      assert.deepEqual([both.aborted, both.reason], [true, 'this one']);
    }
    const before = eitherSignal(new AbortController().signal, AbortSignal.abort('before'));
    assert.deepEqual([before.aborted, before.reason], [true, 'before']);
  });
});
