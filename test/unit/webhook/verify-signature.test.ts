import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { verifySignature } from '../../../src/webhook/verify-signature.js';
import { hmacOf, SECRET } from '../../support/webhook/sign.js';

const body = Buffer.from('{"action":"opened"}');
const good = hmacOf(body);
const gitea = (...values: string[]) => ({ 'x-gitea-signature': values });
const hub = (...values: string[]) => ({ 'x-hub-signature-256': values });
const passes = (headers: Record<string, string[]>, secret = SECRET): boolean =>
  verifySignature(secret, body, headers).ok;

describe('verifySignature', () => {
  it('agrees with the example that GitHub publishes', () => {
    // docs.github.com, "Validating webhook deliveries": secret, payload and signature to test with.
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const verdict = verifySignature(
      "It's a Secret to Everybody",
      Buffer.from('Hello, World!'),
      hub(signature),
    );
    assert.deepEqual(verdict, { ok: true });
  });

  it('takes either header, and both when both fit', () => {
    assert.ok(passes(gitea(good)));
    assert.ok(passes(hub(`sha256=${good}`)));
    assert.ok(passes({ ...gitea(good), ...hub(`sha256=${good}`) }));
    assert.ok(passes(gitea(good.toUpperCase())));
    assert.ok(passes({ ...gitea(good), ...hub('') }), 'an empty header says nothing');
  });

  it('refuses when one of two headers does not fit', () => {
    const wrong = hmacOf('other');
    assert.ok(!passes({ ...gitea(good), ...hub(`sha256=${wrong}`) }));
    assert.ok(!passes({ ...gitea(wrong), ...hub(`sha256=${good}`) }));
  });

  it('refuses no, empty, malformed, wrong-length, wrongly prefixed and repeated signatures', () => {
    const bad = [
      {},
      gitea(''),
      gitea('zz'.repeat(32)),
      gitea(good.slice(1)),
      gitea(`${good}00`),
      gitea(` ${good}`),
      gitea(`sha256=${good}`),
      hub(good),
      hub(`sha1=${good}`),
      gitea(good, good),
      gitea(`${good}, ${good}`),
    ];
    for (const headers of bad) {
      const verdict = verifySignature(SECRET, body, headers);
      assert.ok(!verdict.ok && verdict.reason !== '', JSON.stringify(headers));
    }
  });

  it('refuses another secret', () => {
    assert.ok(!passes(gitea(good), 'another secret'));
  });

  it('never works with an empty secret', () => {
    assert.throws(() => verifySignature('', body, gitea(hmacOf(body, ''))), InvalidInputError);
  });

  it('notices any flipped bit of any body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64, size: 'max' }), fc.nat(), (bytes, at) => {
        const headers = gitea(hmacOf(bytes));
        assert.ok(verifySignature(SECRET, bytes, headers).ok);
        const changed = Uint8Array.from(bytes);
        const index = at % bytes.length;
        changed[index] = (changed[index] ?? 0) ^ (1 << (at % 8));
        assert.ok(!verifySignature(SECRET, changed, headers).ok);
      }),
    );
  });
});
