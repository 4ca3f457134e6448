import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redactor, redactParams } from '../../../../src/bundle/base/redact.js';

describe('the redactor', () => {
  it('leaves a secret in no text, plain or inside JSON', () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom('a', 'B', '7', '/', '-', '=') });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (token, before, after) => {
        const redact = redactor([token]);
        assert.ok(!redact(before + token + after).includes(token));
        const json = redact(JSON.stringify({ body: `x ${token} y` }));
        assert.ok(!(JSON.parse(json) as { body: string }).body.includes(token));
      }),
    );
  });

  it('reaches the texts of parameters given by name or by position, and nothing else', () => {
    const redact = redactor(['topsecret']);
    assert.deepEqual(redactParams({ number: 1, body: 'a topsecret b' }, redact), {
      number: 1,
      body: 'a [secret] b',
    });
    assert.deepEqual(redactParams([1, 'topsecret'], redact), [1, '[secret]']);
    for (const none of [undefined, null, 7]) assert.equal(redactParams(none, redact), none);
  });
});
