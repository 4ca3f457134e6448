import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createOnce, DEFAULT_RETRY, retryDelayMs } from '../../../../../src/adapters/gitea/http/retry.js';
import { ForgeHttpError } from '../../../../../src/domain/base/errors.js';

const POLICY = { tries: 4, baseMs: 100, capMs: 1_000 };
const QUICK = { tries: 3, baseMs: 1, capMs: 2, sleep };

describe('the wait before a repetition', () => {
  it('does what the server asks, up to the cap', () => {
    assert.equal(retryDelayMs(POLICY, 1, 300), 300);
    assert.equal(retryDelayMs(POLICY, 1, 3_600_000), POLICY.capMs);
    assert.equal(retryDelayMs(DEFAULT_RETRY, 1, 3_600_000), 30_000);
  });

  it('doubles with each attempt, with jitter, and never passes the cap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const ceiling = Math.min(POLICY.baseMs * 2 ** (attempt - 1), POLICY.capMs);
          const delay = retryDelayMs(POLICY, attempt, undefined, () => random);
          assert.ok(delay >= ceiling / 2 && delay <= ceiling);
        },
      ),
    );
  });
});

/** Something of which the forge has a list. */
class Shelf {
  items: string[] = [];
  readonly removed: string[] = [];

  constructor(private readonly make: (shelf: Shelf) => Promise<string>) {}

  find(): Promise<readonly string[]> {
    return Promise.resolve([...this.items]);
  }

  create(): Promise<string> {
    return this.make(this);
  }

  remove(item: string): Promise<void> {
    this.removed.push(item);
    this.items = this.items.filter((other) => other !== item);
    return Promise.resolve();
  }
}

describe('a creation that must happen once', () => {
  const lost = new ForgeHttpError(502, 'POST', '/x', 'lost', { retryAfterMs: 7_000 });

  it('is not tried when the thing is there', async () => {
    const shelf = new Shelf(() => Promise.reject(new Error('tried')));
    shelf.items = ['there'];
    assert.equal(await createOnce(QUICK, shelf), 'there');
  });

  it('finds what a lost answer made', async () => {
    const shelf = new Shelf((there) => {
      there.items.push('made');
      return Promise.reject(lost);
    });
    assert.equal(await createOnce(QUICK, shelf), 'made');
    assert.deepEqual(shelf.items, ['made']);
  });

  it('gives up with the last fault after the tries', async () => {
    let tries = 0;
    const shelf = new Shelf(() => {
      tries += 1;
      return Promise.reject(lost);
    });
    await assert.rejects(createOnce(QUICK, shelf), lost);
    assert.equal(tries, QUICK.tries);
  });

  it('waits as long as the forge asked, up to the cap', async () => {
    const waits: number[] = [];
    const policy = {
      tries: 3,
      baseMs: 1,
      capMs: 5_000,
      sleep: (ms: number) => Promise.resolve(waits.push(ms)),
    };
    await assert.rejects(createOnce(policy, new Shelf(() => Promise.reject(lost))), lost);
    assert.deepEqual(waits, [5_000, 5_000]);
  });

  it('does not repeat what the forge refused', async () => {
    let tries = 0;
    const refused = new ForgeHttpError(422, 'POST', '/x', 'no');
    const shelf = new Shelf(() => {
      tries += 1;
      return Promise.reject(refused);
    });
    await assert.rejects(createOnce(QUICK, shelf), refused);
    assert.equal(tries, 1);
  });

  it('keeps the oldest when somebody made it at the same time', async () => {
    const shelf = new Shelf((there) => {
      there.items.push('theirs', 'mine');
      return Promise.resolve('mine');
    });
    assert.equal(await createOnce(QUICK, shelf), 'theirs');
    assert.deepEqual(shelf.removed, ['mine']);
  });

  it('takes away what an earlier call left twice', async () => {
    const shelf = new Shelf(() => Promise.reject(new Error('tried')));
    shelf.items = ['first', 'late'];
    assert.equal(await createOnce(QUICK, shelf), 'first');
    assert.deepEqual(shelf.items, ['first']);
  });

  it('stands when a duplicate may not be removed', async () => {
    const shelf = new Shelf(() => Promise.reject(new Error('tried')));
    shelf.items = ['first', 'late'];
    shelf.remove = () => Promise.reject(new ForgeHttpError(403, 'DELETE', '/x', 'no'));
    assert.equal(await createOnce(QUICK, shelf), 'first');
  });
});
