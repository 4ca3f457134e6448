import assert from 'node:assert/strict';
import { secretForms } from '../../../../src/domain/secret/secret-forms.js';
import { SecretSearch } from '../../../../src/domain/secret/secret-search.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the search for our own secrets', () => {
  describe('finds one that is written down', () => {
    const SECRET = 'p?~+é/ü"0 9z';
    const secrets = [
      { name: 'another', value: 'something-else-entirely' },
      { name: 'it', value: SECRET },
    ];
    const buffer = (before: string): Buffer => Buffer.from(`${before}${SECRET}!`);
    const percent = buffer('').toString('hex').replace(/../g, '%$&').slice(0, -3);
    const ways: Readonly<Record<string, string>> = {
      'as it is': SECRET,
      'over several lines': 'p?~\n\t+é\r\n/ü"0 9z',
      'in JSON': JSON.stringify(`a${SECRET}b`),
      'in an address': encodeURIComponent(SECRET),
      'in an address, every byte': percent,
      'in an address, every byte in capitals': percent.toUpperCase(),
      'in hexadecimal': buffer('').toString('hex'),
      'in hexadecimal capitals': buffer('').toString('hex').toUpperCase(),
      ...Object.fromEntries(
        ['', 'a', 'ab', 'abc'].flatMap((before) => [
          [`in Base64 behind ${String(before.length)} bytes`, buffer(before).toString('base64')],
          [
            `in Base64 for addresses behind ${String(before.length)} bytes`,
            buffer(before).toString('base64url'),
          ],
        ]),
      ),
      'in Base64 of two lines': buffer('a').toString('base64').replace(/^.{9}/, '$&\r\n'),
    };
    for (const [way, text] of Object.entries(ways))
      it(way, () => {
        assert.deepEqual(new SecretSearch(secrets).namesIn(bytesOf(`x ${text} y`)), ['it']);
      });
  });

  it('finds each of several, one within another and one that overlaps', () => {
    const named = (...values: readonly string[]): SecretSearch =>
      new SecretSearch(values.map((value) => ({ name: value, value })));
    const names = (search: SecretSearch, text: string): string[] => search.namesIn(bytesOf(text)).sort();
    const two = named('aaaabbbb', 'bbbbcccc');
    assert.deepEqual(names(two, 'aaaabbbbcccc'), ['aaaabbbb', 'bbbbcccc']);
    assert.deepEqual(names(two, 'bbbbcccc aaaabbbb bbbbcccc'), ['aaaabbbb', 'bbbbcccc']);
    assert.deepEqual(names(two, 'aaaabbbcccc'), []);
    // Seen only as the end of what could have become the other one.
    const inner = named('xx01234567yy', '01234567');
    assert.deepEqual(names(inner, 'xx01234567y-'), ['01234567']);
    assert.deepEqual(names(inner, 'xxx01234567'), ['01234567']);
    assert.deepEqual(names(named('abababac'), 'abababababac'), ['abababac']);
  });

  it('does not look for what is too short, or would be found everywhere', () => {
    assert.ok(secretForms('1234567').every((form) => form.length >= 8));
    assert.ok(secretForms('12345678').includes('12345678'));
    const forms = secretForms('1234567890');
    assert.equal(new Set(forms).size, forms.length);
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
    const search = new SecretSearch([{ name: 'it', value: '0123456789abcdef' }]);
    for (const between of ['\0', '\u001f', '\v', '-'])
      assert.deepEqual(search.namesIn(bytesOf(`01234567${between}89abcdef`)), [], JSON.stringify(between));
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
