import assert from 'node:assert/strict';
import { OneByOne } from '../../../../src/domain/base/one-by-one.js';

describe('works one by one', () => {
  it('are done one after another for one name, whatever becomes of them, and side by side for others', async () => {
    const oneByOne = new OneByOne();
    const said: string[] = [];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const first = oneByOne.next('one', async () => {
      said.push('first begins');
      await held;
      said.push('first fails');
      throw new Error('the first');
    });
    const second = oneByOne.next('one', () => Promise.resolve(said.push('second')));
    await oneByOne.next('other', () => Promise.resolve(said.push('other')));
    assert.deepEqual(said, ['first begins', 'other']);
    letGo();
    await assert.rejects(first, /the first/);
    await second;
    assert.deepEqual(said, ['first begins', 'other', 'first fails', 'second']);
  });

  it('wait for the one that is under way, also when one before it has just ended', async () => {
    const oneByOne = new OneByOne();
    const said: string[] = [];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const first = oneByOne.next('one', () => Promise.resolve(said.push('first')));
    const second = oneByOne.next('one', async () => {
      await held;
      said.push('second');
    });
    await first;
    const third = oneByOne.next('one', () => Promise.resolve(said.push('third')));
    await oneByOne.next('other', () => Promise.resolve());
    letGo();
    await Promise.all([second, third]);
    assert.deepEqual(said, ['first', 'second', 'third']);
  });
});
