import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createOnce, retryAfterMs, retryDelayMs } from '../../../../src/adapters/forge-http/retry.js';
import { ForgeHttpError } from '../../../../src/domain/errors.js';

const POLICY = { tries: 4, baseMs: 100, capMs: 1_000 };
const QUICK = { tries: 3, baseMs: 1, capMs: 2 };

describe('the wait before a repetition', () => {
  it('reads seconds and HTTP dates, and nothing else', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    assert.equal(retryAfterMs('7', now), 7_000);
    assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:09 GMT', now), 9_000);
    assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
    assert.equal(retryAfterMs('soon', now), undefined);
    assert.equal(retryAfterMs(undefined, now), undefined);
  });

  it('does what the server asks, up to the cap', () => {
    assert.equal(retryDelayMs(POLICY, 1, 300), 300);
    assert.equal(retryDelayMs(POLICY, 1, 3_600_000), POLICY.capMs);
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

describe('a creation that must happen once', () => {
  const lost = new ForgeHttpError(502, 'POST', '/x', 'lost');

  it('is not tried when the thing is there', async () => {
    const made = await createOnce(
      QUICK,
      () => Promise.resolve('there'),
      () => Promise.reject(new Error('tried')),
    );
    assert.equal(made, 'there');
  });

  it('finds what a lost answer made', async () => {
    let there: string | undefined;
    const made = await createOnce(
      QUICK,
      () => Promise.resolve(there),
      () => {
        there = 'made';
        return Promise.reject(lost);
      },
    );
    assert.equal(made, 'made');
  });

  it('gives up with the last fault after the tries', async () => {
    let tries = 0;
    const attempt = createOnce<string>(
      QUICK,
      () => Promise.resolve(undefined),
      () => {
        tries += 1;
        return Promise.reject(lost);
      },
    );
    await assert.rejects(attempt, lost);
    assert.equal(tries, QUICK.tries);
  });

  it('does not repeat what the forge refused', async () => {
    let tries = 0;
    const refused = new ForgeHttpError(422, 'POST', '/x', 'no');
    const attempt = createOnce<string>(
      QUICK,
      () => Promise.resolve(undefined),
      () => {
        tries += 1;
        return Promise.reject(refused);
      },
    );
    await assert.rejects(attempt, refused);
    assert.equal(tries, 1);
  });
});
