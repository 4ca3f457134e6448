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

describe('the search for our own secrets', () => {
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

  it('finds it in pieces, and begins afresh each time', () => {
    const search = new SecretSearch([{ name: 'it', value: '0123456789abcdef' }]);
    const pass = search.begin();
    for (const byte of bytesOf('xx0123456789ab')) pass.push(Uint8Array.of(byte));
    assert.deepEqual(pass.names, []);
    assert.deepEqual(search.namesIn(bytesOf('cdef')), []);
    pass.push(bytesOf('cdef'));
    assert.deepEqual(pass.names, ['it']);
  });

  it('finds nothing where there is none, or nothing to find', () => {
    assert.deepEqual(new SecretSearch([]).namesIn(bytesOf('anything')), []);
    assert.deepEqual(new SecretSearch([{ name: 'short', value: 'abc' }]).namesIn(bytesOf('abc abc')), []);
    assert.deepEqual(
      new SecretSearch([{ name: 'it', value: '0123456789abcdef' }]).namesIn(bytesOf('0123456789abcde')),
      [],
    );
  });

  it('finds a secret that is no Unicode text', () => {
    const value = 'before-\ud800-after';
    const search = new SecretSearch([{ name: 'it', value }]);
    // Written as UTF-8 it has another character there.
    const written = Buffer.from(value);
    for (const text of [`x ${value}`, JSON.stringify(value), encodeURIComponent(String(written))])
      assert.deepEqual(search.namesIn(bytesOf(text)), ['it'], text);
    assert.deepEqual(search.namesIn(bytesOf(written.toString('base64'))), ['it']);
  });

  it('takes a long secret by its beginning, at a bounded cost', () => {
    const value = Array.from({ length: 60_000 }, (_, index) => index.toString(36)).join('-');
    const search = new SecretSearch([{ name: 'long', value }]);
    assert.deepEqual(search.namesIn(bytesOf(`x ${value}`)), ['long']);
    assert.ok(secretForms(value).every((form) => form.length <= 256));
  });
});
