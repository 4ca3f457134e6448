import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  blanked,
  blankSecret,
  secretForms,
} from '../../../../../src/bundle/egress/credential/secret-forms.js';

const secrets = fc.string({ minLength: 12, maxLength: 60, size: 'max', unit: 'grapheme-ascii' });

describe('the forms of a secret', () => {
  it('are found in base64 of any text around it', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.string({ maxLength: 20, size: 'max' }),
        fc.string({ maxLength: 20, size: 'max' }),
        (secret, before, after) => {
          const bytes = Buffer.from(before + secret + after, 'utf8');
          for (const encoding of ['base64', 'base64url'] as const) {
            const text = bytes.toString(encoding);
            assert.ok(
              secretForms(secret).some((form) => text.includes(form)),
              text,
            );
          }
        },
      ),
    );
  });

  it('are what is left of none of them in a text', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const text = `a ${secret} ${JSON.stringify(secret)} ${encodeURIComponent(secret)} z`;
        const clean = blankSecret(text, secret);
        assert.ok(!clean.includes(secret) || secret.includes('*'));
        assert.equal(Buffer.byteLength(clean), Buffer.byteLength(text));
      }),
    );
  });

  it('are blanked by as many bytes', () => {
    assert.equal(blanked('äb'), '***');
    assert.equal(blankSecret('untouched', undefined), 'untouched');
  });

  it('are there for a secret that is no Unicode text', () => {
    const secret = 'before-\ud800-after';
    assert.equal(
      blankSecret(`x ${secret} ${encodeURIComponent(String(Buffer.from(secret)))}`, secret),
      `x ${'*'.repeat(16)} ${'*'.repeat(22)}`,
    );
  });
});
