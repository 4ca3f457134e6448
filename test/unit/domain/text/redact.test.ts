import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redact, REDACTED } from '../../../../src/domain/text/redact.js';

describe('secrets that are known by their value', () => {
  it('are blanked as they are, and as JSON or a URL writes them', () => {
    const secret = 'top"secret/ü\\';
    const blank = redact(new Set([secret]));
    for (const written of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
      assert.equal(blank(`a ${written} b ${written}`), `a ${REDACTED} b ${REDACTED}`, written);
  });

  it('are in no text, plain or inside JSON', () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom('a', 'B', '7', '/', '-', '=') });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (token, before, after) => {
        const blank = redact([token]);
        assert.ok(!blank(before + token + after).includes(token));
        const json = blank(JSON.stringify({ body: `x ${token} y` }));
        assert.ok(!(JSON.parse(json) as { body: string }).body.includes(token));
      }),
    );
  });

  it('leave no rest behind where one begins as another one does', () => {
    for (const secrets of [
      ['abcdefgh', 'abcdefgh-ijkl'],
      ['abcdefgh-ijkl', 'abcdefgh'],
    ])
      assert.equal(redact(new Set(secrets))('abcdefgh-ijkl abcdefgh'), `${REDACTED} ${REDACTED}`);
  });

  it('do no harm to a text when there is none, or an empty one', () => {
    assert.equal(redact(new Set())('a b'), 'a b');
    assert.equal(redact(new Set(['']))('a b'), 'a b');
  });
});
