import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { TurnSlots } from '../../../../src/activities/ports/turn-slots.js';
import { waitUntil } from '../../../support/stack/stack.js';

const never = new AbortController().signal;

/** Slots over an engine that is played, and who got one. */
function slots(capacity: number, running: string[] = []) {
  const of = new TurnSlots(capacity, () => Promise.resolve(running));
  const got: string[] = [];
  const ask = (slug: string, signal = never): Promise<void> =>
    of.acquire(slug, signal).then(() => void got.push(slug));
  return { of, got, ask };
}

describe('the slots of a host', () => {
  it('are given in the order of asking, and no more than there are', async () => {
    const { of, got, ask } = slots(2);
    const asked = ['a', 'b', 'c', 'd'].map((slug) => ask(slug));
    await Promise.all(asked.slice(0, 2));
    await delay(50);
    assert.deepEqual(got, ['a', 'b']);
    of.release('a');
    await asked[2];
    of.release('b');
    await asked[3];
    assert.deepEqual(got, ['a', 'b', 'c', 'd']);
  });

  it('are not given while the engine runs as many agents of other runs, whoever started them', async () => {
    const running = ['other'];
    const { got, ask } = slots(1, running);
    const asked = ask('mine');
    await delay(1_200);
    assert.deepEqual(got, []);
    running.pop();
    await asked;
    assert.deepEqual(got, ['mine']);
  });

  it('are not counted twice for an agent that has one and runs', async () => {
    const { of, got, ask } = slots(2, ['a', 'mine']);
    of.adopt('a');
    await ask('mine');
    await ask('mine');
    assert.deepEqual(got, ['mine', 'mine']);
  });

  it('are held by what was adopted, beyond the capacity too', async () => {
    const { of, got, ask } = slots(1);
    of.adopt('a');
    of.adopt('b');
    const asked = ask('c');
    of.release('a');
    await delay(50);
    assert.deepEqual(got, []);
    of.release('b');
    await asked;
  });

  it('pass over whoever gives up in the line', async () => {
    const { of, got, ask } = slots(1);
    await ask('a');
    const leaving = new AbortController();
    const left = ask('b', leaving.signal);
    const asked = ask('c');
    leaving.abort(new Error('stopped'));
    await assert.rejects(left, /stopped/);
    of.release('a');
    await asked;
    assert.deepEqual(got, ['a', 'c']);
  });

  it('pass over whoever cannot ask the engine, who is told', async () => {
    let isAway = true;
    const of = new TurnSlots(1, () =>
      isAway ? Promise.reject(new Error('no engine')) : Promise.resolve([]),
    );
    await assert.rejects(of.acquire('a', never), /no engine/);
    isAway = false;
    await of.acquire('b', never);
    let isThere = false;
    void of.acquire('a', never).then(() => (isThere = true));
    of.release('b');
    await waitUntil('the slot', () => isThere);
  });
});
