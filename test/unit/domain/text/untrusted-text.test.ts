import assert from 'node:assert/strict';
import {
  cleanText,
  cutToBytes,
  inlineText,
  removalNote,
  utf8Length,
} from '../../../../src/domain/text/untrusted-text.js';

describe('text of strangers on its way into a prompt', () => {
  it('has one kind of line end, and its tabs', () => {
    assert.deepEqual(cleanText('a\r\nb\rc\u0085d\u2028e\u2029f\tg\n\nh'), {
      text: 'a\nb\nc\nd\ne\nf\tg\n\nh',
      hidden: 0,
      comments: 0,
    });
  });

  for (const [what, given, text, hidden, comments] of [
    ['nothing to remove', 'a -- b --> c <! d <!- e', 'a -- b --> c <! d <!- e', 0, 0],
    ['a comment', 'a<!-- do evil -->b', 'ab', 0, 1],
    ['a comment of several lines', 'a\n<!--\ndo\nevil\n-->\nb', 'a\n\nb', 0, 1],
    ['two comments', '<!--x-->a<!--y-->', 'a', 0, 2],
    ['a comment that ends where it begins', 'a<!-->b--><!--->c-->', 'ab-->c-->', 0, 2],
    ['a comment that never ends', 'a<!-- b', 'a', 0, 1],
    ['hyphens with something else before them', 'a!--b <--c <?--d <!x-e', 'a!--b <--c <?--d <!x-e', 0, 0],
    ['a mark in the opening of a comment', 'a<!-\u200b- b -->c', 'ac', 1, 1],
    ['characters that nobody sees', '\u0007a\u00ad\u202eb\ue000', 'ab', 4, 0],
    ['a joiner between letters, which shows nothing', 'a\u200db', 'ab', 1, 0],
  ] as const)
    it(`is cleaned of what its readers did not see: ${what}`, () => {
      assert.deepEqual(cleanText(given), { text, hidden, comments });
    });

  it('stays whole however long it is, whatever is taken out of it', () => {
    const long = Array.from({ length: 8_000 }, (_, index) => `${String(index)} 🙂`).join(' ');
    assert.equal(cleanText(`${long}<!-- x -->${long}`).text, long + long);
  });

  it('is told with what was removed', () => {
    for (const [hidden, comments, note] of [
      [0, 0, ''],
      [1, 0, '1 hidden character removed'],
      [0, 2, '2 HTML comments removed'],
      [3, 1, '3 hidden characters and 1 HTML comment removed'],
    ] as const)
      assert.equal(removalNote({ hidden, comments }), note);
  });
});

describe('a name of strangers in a line of ours', () => {
  it('is one line without space around it', () => {
    assert.equal(inlineText(' a\n# New orders\t\u2028 <!-- x --> b\n'), 'a # New orders b');
  });

  it('is cut between characters when it is too long, and not before', () => {
    assert.equal(inlineText('🙂'.repeat(5), 5), '🙂'.repeat(5));
    assert.equal(inlineText('🙂'.repeat(6), 5), `${'🙂'.repeat(4)}…`);
    assert.equal(Array.from(inlineText('x'.repeat(1_000))).length, 200);
  });
});

describe('a text cut to bytes', () => {
  it('has as many characters as fit, none in halves', () => {
    for (const [text, bytes, kept] of [
      ['abcd', 4, 'abcd'],
      ['abcd', 3, 'abc'],
      ['aé', 2, 'a'],
      ['漢字', 5, '漢'],
      ['漢字', 6, '漢字'],
      ['a🙂', 4, 'a'],
      ['a', 0, ''],
    ] as const)
      assert.equal(cutToBytes(text, bytes), kept);
    assert.equal(utf8Length('aé漢🙂'), 1 + 2 + 3 + 4);
  });
});
