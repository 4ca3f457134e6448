import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  PR_TITLE_LENGTH,
  inertText,
  pagesOf,
  pullRequestBody,
  pullRequestTitle,
} from '../../../../src/domain/text/inert-text.js';

/** What Gitea, Forgejo and GitHub act on, written down apart from the code under test. */
const LIVE: readonly (readonly [string, RegExp])[] = [
  ['mention', /(?:^|[^A-Za-z0-9])@[\w-]/],
  ['reference', /[#!]\d/],
  ['GH reference', /\bGH-\d/i],
  ['address of an issue', /\/(?:issues|pulls?|merge_requests)\/\d/i],
  ['commit of another repository', /[\w.-]+\/[\w.-]+@[0-9a-f]{7}/i],
  ['command', /^\s*\/\w/m],
  ['comment or declaration', /<[!?]/],
  [
    'control or bidi character',
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/,
  ],
];
/** Linked as a whole, so that nothing in it is a mark of its own: `test/corpus/texts/acted-on.ts` has some for Gitea. */
const ADDRESS = /(?<![a-z])https?:\/\/(?:[\w.:/%?=+,;&-]|(?<=[a-z0-9/])[#@])*/gi;

function liveIn(text: string): string[] {
  const others = text.replace(ADDRESS, '.');
  return LIVE.filter(([, pattern]) => pattern.test(others)).map(([name]) => name);
}

const pieces = fc.oneof(
  fc.constantFrom(
    '@alice',
    '@',
    '#12',
    '#',
    '!',
    '12',
    'GH-',
    'gh-7',
    'fixes',
    'closes: ',
    ' ',
    '\n',
    '\r',
    '\u2028',
    '\u00A0',
    '\u2003',
    '/',
    '/merge',
  ),
  fc.constantFrom(
    'a/b',
    '/issues/',
    '/pulls/5',
    '\u200B',
    '\u202E',
    '\u200D',
    '\0',
    '<!--',
    '-->',
    '> ',
    '* ',
    '**',
  ),
  fc.constantFrom(
    '&#35;',
    '&#x23;',
    '&commat;',
    '&',
    'amp;',
    'o/r@0123abcd',
    'https://forge.test',
    '\uD800',
    '<b>',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replace(/[`~]/g, '')),
);
const hostile = fc.array(pieces, { maxLength: 30, size: 'max' }).map((parts) => parts.join(''));

// Without code, which stays as it is: what that is, `test/integration/gitea/posted-texts.test.ts` asks a real Gitea.
describe('agent text made inert', () => {
  it('leaves nothing that a forge acts on', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.deepEqual(liveIn(inertText(text, null)), []);
        assert.deepEqual(liveIn(pullRequestTitle(text, 'fallback')), []);
        assert.deepEqual(liveIn(pullRequestBody(text, null, null)), []);
      }),
      { numRuns: 2000 },
    );
  });

  it('breaks a command behind any white space that a forge trims', () => {
    for (const space of ['', ' ', '\t', '\u00A0', '\u1680', '\u2003', '\u202F', '\u205F', '\u3000'])
      assert.equal(inertText(`${space}/close`, null), `${space}/\u200Bclose`);
  });

  it('changes nothing when done again', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        assert.equal(inertText(inertText(text, null), null), inertText(text, null));
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps to the caps', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, cap) => {
        assert.ok(Array.from(inertText(text, null, cap)).length <= cap);
        assert.deepEqual(liveIn(inertText(text, null, cap)), []);
      }),
    );
    assert.ok(Array.from(pullRequestTitle('@x '.repeat(500), '')).length <= PR_TITLE_LENGTH);
    assert.ok(pullRequestBody('#1 '.repeat(100_000), 5, null).length < 61_000);
  });

  it('is cut only where it is too long, between characters, and says so', () => {
    for (const [text, cap, cut] of [
      ['abcde', 5, 'abcde'],
      ['abcdef', 5, 'abcd…'],
      ['🙂🙂🙂', 3, '🙂🙂🙂'],
      ['🙂🙂🙂🙂', 3, '🙂🙂…'],
      // A mark that is broken is longer than it was.
      ['@a @b', 7, '@\u200Ba @\u200Bb'],
      ['@@@@', 1, '…'],
      ['a', 1, 'a'],
    ] as const)
      assert.equal(inertText(text, null, cap), cut);
    const long = inertText('@a '.repeat(1_000), null, 1_000);
    assert.ok(long.endsWith('…') && long.length > 800, String(long.length));
    assert.equal(inertText(`${'a'.repeat(30)}\u200B`, null, 30), 'a'.repeat(30));
  });

  it('has one kind of line end', () => {
    assert.equal(inertText('a\r\nb\rc\u0085d\u2028e\u2029f', null), 'a\nb\nc\nd\ne\nf');
  });

  it('looks the same to a reader', () => {
    const shown = (text: string) => inertText(text, null).replaceAll('\u200B', '');
    for (const text of [
      'Fixes #3 for @bob',
      '/etc/hosts',
      '# 1. Title',
      'a@b.test',
      '👩‍🔧 ok',
      '- item\n\tcode',
      'o/r#1',
    ]) {
      assert.equal(shown(text), text);
    }
    assert.equal(
      inertText('mail a@b.test, pkg@1.2.3, # heading, and/or', null),
      'mail a@b.test, pkg@1.2.3, # heading, and/or',
    );
  });
});

describe('title and body of a pull request', () => {
  it('closes the issue with the last line', () => {
    assert.equal(pullRequestBody(' Done.\n\n', 12, null), 'Done.\n\nCloses #12');
    assert.equal(pullRequestBody('  ', 12, null), 'Closes #12');
    assert.equal(pullRequestBody('Done.', null, null), 'Done.');
    fc.assert(
      fc.property(hostile, (text) => {
        const body = pullRequestBody(text, 12, null);
        assert.equal(body.split('\n').at(-1), 'Closes #12');
        assert.deepEqual(liveIn(body.slice(0, -'Closes #12'.length)), []);
      }),
    );
  });

  it('does not let an open code fence swallow that line', () => {
    assert.equal(pullRequestBody('```js\ncode', 1, null), '```js\ncode\n```\n\nCloses #1');
    assert.equal(pullRequestBody('```\na\n```\n~~~\nb', 1, null), '```\na\n```\n~~~\nb\n~~~\n\nCloses #1');
    assert.equal(pullRequestBody('````\n```\n````', 1, null), '````\n```\n````\n\nCloses #1');
    assert.equal(pullRequestBody('- ```\n  a', 1, null), '- \u200B```\n  a\n\nCloses #1');
  });

  it('makes one line of a title and falls back when nothing is left', () => {
    assert.equal(pullRequestTitle(' Add\n  a\tthing ', 'x'), 'Add a thing');
    assert.equal(pullRequestTitle('\u202E\u0007 ', 'Work on it'), 'Work on it');
    assert.equal(pullRequestTitle('/close `@a`', 'x'), '/\u200Bclose `@\u200Ba`');
    assert.equal(pullRequestTitle('and/or', 'x'), 'and/or');
    assert.equal(pullRequestTitle(`${'a'.repeat(198)} bcd`, 'x'), `${'a'.repeat(198)} …`);
  });
});

describe('images in agent text', () => {
  const forge = 'https://git.example/base';

  it("become links unless they are below the forge's own address, which may have a path", () => {
    for (const [text, expected] of [
      ['![a](https://git.example/other/p.png)', '[a](https://git.example/other/p.png)'],
      ['![a](https://git.example/base/p.png)', '![a](https://git.example/base/p.png)'],
      ['![a](/\\evil.example)', '!\u200B[a](/\\evil.example)'],
    ] as const)
      assert.equal(inertText(text, forge), expected);
    assert.equal(
      inertText('![a](https://git.example/base/p.png)', null),
      '[a](https://git.example/base/p.png)',
    );
  });

  it('knows the pages of a forge by the address of its API', () => {
    assert.equal(pagesOf('https://git.example/base/'), forge);
    assert.equal(pagesOf('https://git.example/base/api/v1//'), forge);
    assert.equal(pagesOf('https://git.example/api/v1/base'), 'https://git.example/api/v1/base');
    assert.equal(pagesOf(''), null);
  });
});
