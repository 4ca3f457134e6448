import assert from 'node:assert/strict';
import fc from 'fast-check';
import { secretForms } from '../../../../src/domain/secret/secret-forms.js';
import { SecretSearch } from '../../../../src/domain/secret/secret-search.js';

const secretText = fc.string({
  unit: fc.constantFrom(...Array.from('aA0+/=%_-."\\ é€')),
  minLength: 8,
  maxLength: 80,
  size: 'medium',
});
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the search for our own secrets, whatever they are', () => {
  it('finds a secret written in any of its ways, whatever stands around it', () => {
    const ways: readonly ((before: string, secret: string, after: string) => string)[] = [
      (before, secret, after) => before + secret + after,
      (before, secret, after) => Buffer.from(before + secret + after).toString('base64'),
      (before, secret, after) => Buffer.from(before + secret + after).toString('base64url'),
      (before, secret, after) => Buffer.from(before + secret + after).toString('hex'),
      (before, secret, after) =>
        Buffer.from(before + secret + after)
          .toString('hex')
          .toUpperCase(),
      (before, secret, after) => before + encodeURIComponent(secret) + after,
      (before, secret, after) => JSON.stringify(before + secret + after),
      (before, secret, after) =>
        Buffer.from(before + secret + after)
          .toString('base64')
          .replace(/.{7}/g, '$&\r\n'),
    ];
    const around = fc.string({ maxLength: 12, size: 'max' });
    fc.assert(
      fc.property(secretText, around, around, fc.constantFrom(...ways), (secret, before, after, write) => {
        fc.pre(secret.replaceAll(' ', '').length >= 8);
        const search = new SecretSearch([
          { name: 'another', value: 'something-else-entirely' },
          { name: 'it', value: secret },
        ]);
        const text = write(before, secret, after);
        assert.deepEqual(search.namesIn(bytesOf(text)), ['it'], text);
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with a search for each form by itself', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 8, maxLength: 10 });
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 4 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60, size: 'max' }),
        (values, text) => {
          const secrets = [...new Set(values)].map((value) => ({ name: value, value }));
          const expected = secrets.some(({ value }) =>
            secretForms(value).some((form) => text.includes(form)),
          );
          assert.equal(new SecretSearch(secrets).namesIn(bytesOf(text)).length > 0, expected);
        },
      ),
    );
  });
});
