import assert from 'node:assert/strict';
import { untrustedDiff, untrustedName, untrustedText } from '../../../../src/bundle/forge/untrusted.js';

describe('a text of strangers for an agent', () => {
  it('is as it stands where a page shows all of it, without the empty end', () => {
    assert.deepEqual(untrustedText('  two\nlines \n\n'), { text: '  two\nlines' });
  });

  it('says how much was left out that a page would not show', () => {
    assert.deepEqual(untrustedText('a\u200Bb<!-- x -->c\u202E'), {
      text: 'abc',
      removed: { hiddenCharacters: 2, htmlComments: 1 },
    });
  });

  it('is cut at 64 KiB of UTF-8, and says so', () => {
    const limit = 64 * 1024;
    assert.deepEqual(untrustedText('x'.repeat(limit)), { text: 'x'.repeat(limit) });
    assert.deepEqual(untrustedText('x'.repeat(limit + 1)), { text: 'x'.repeat(limit), truncated: true });
    const { text, truncated } = untrustedText('é'.repeat(limit));
    assert.deepEqual([Buffer.byteLength(text), truncated], [limit, true]);
  });

  it('is one line where it is a name', () => {
    assert.equal(untrustedName('a\nb\u202E'), 'a b');
    assert.ok(untrustedName('x'.repeat(1_000)).length <= 256);
  });
});

describe('a diff of strangers for an agent', () => {
  it('keeps HTML comments, which are code, and its lines as they are', () => {
    const diff = '+<!-- a --><!-- b\n \n-c\n\n';
    assert.deepEqual(untrustedDiff(diff), { text: diff });
  });

  it('loses hidden characters, counted over all of its lines and parts', () => {
    assert.deepEqual(untrustedDiff('+\u200Ba<!--\u200Bb\n+\u200Bc'), {
      text: '+a<!--b\n+c',
      removed: { hiddenCharacters: 3, htmlComments: 0 },
    });
  });

  it('loses the carriage return at the end of a line, which is no hidden character', () => {
    assert.deepEqual(untrustedDiff('+a\r\n+b\r\n'), { text: '+a\n+b\n' });
  });

  it('is cut at 512 KiB of UTF-8, and says so', () => {
    const limit = 512 * 1024;
    assert.deepEqual(untrustedDiff('x'.repeat(limit)), { text: 'x'.repeat(limit) });
    assert.deepEqual(untrustedDiff('x'.repeat(limit + 1)), { text: 'x'.repeat(limit), truncated: true });
  });
});
