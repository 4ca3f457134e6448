import assert from 'node:assert/strict';
import { inertText } from '../../../../src/domain/text/inert-text.js';
import { CONFUSING } from '../../../corpus/texts/confusing.js';
import { HARMLESS } from '../../../corpus/texts/harmless.js';

const FORGE = 'https://forge.test';
/** `·` stands for the zero-width space that a mark is broken with. */
const inert = (text: string): string => inertText(text, FORGE).replaceAll('\u200B', '·');
const FENCE = '```';

describe('code in an agent’s text', () => {
  const codes: Readonly<Record<string, readonly string[]>> = {
    'in a line': ['`@a`', 'x `@a` y `#1` z', '``@a ` #1``', '`/a`', '# t `@a` } b'],
    'behind a link, an address or a footnote': [
      '[a](b "t") `@a`',
      '[a](b)`@a`',
      '[a][b] `@a`',
      'https://a.b/c `@a`',
      'x@y `@a`',
      '[^1] `@a`',
    ],
    'in a cell, or with a bar outside a table': [
      'a | b\n--|--\n`@a` | `@b`',
      'a | b `@a | @b`',
      'a - b `@a | @b`',
    ],
    'in the paragraph behind one in doubt': ['a ` b\n\n`@a`', 'a ] b\n`@a`', '[a](`) b `\n\n`@a`'],
    'in a fence': ['```\n@a\n```', '~~~\n@a\n~~~', '   `````\n   @a\n   `````', '```\n@a\n~~~\n#1\n```'],
    'in a fence in a list': [
      '- ```\n  @a\n\n  @b\n  ```\n- b',
      '* ```\n  @a\n  ```',
      '-   ```\n    @a\n    ```',
      '- ```\n  @a\n  ```x\n  ```',
      '    ```\n    @a\n    ```',
      'a\n\n    ```\n    @a\n    ```',
    ],
    'in a fence in a quotation': ['> ```\n> @a\n>\n> ```\nb', '>```\n>@a\n>```'],
    'in a fence whose lines are nearly its end': ['```\na\n``\n@b\n```'],
  };
  for (const [where, texts] of Object.entries(codes))
    it(`stays as it is ${where}`, () => {
      for (const text of texts) assert.equal(inert(text), text);
    });

  it('loses what a forge would draw instead of showing, and all but the name of a language', () => {
    assert.equal(inert('```mermaid\n@a\n```'), '```\n@a\n```');
    assert.equal(inert('~~~ GeoJSON x\n@a\n~~~'), '~~~\n@a\n~~~');
    assert.equal(inert('``` js\n@a\n```'), '```js\n@a\n```');
    assert.equal(inert('```{.js}\n@a\n```'), '```\n@a\n```');
    assert.equal(inert('```c++ title=@x\n@a\n```'), '```c++\n@a\n```');
  });

  it('gets its end where it has none at the margin', () => {
    assert.equal(inert('~~~~\n@a'), '~~~~\n@a\n~~~~');
    assert.equal(inert('```\n```'), '```\n```');
    assert.equal(inert('```\n@a\n``` \t\n@b'), '```\n@a\n```\n@·b');
  });
});

describe('what only looks like code in an agent’s text', () => {
  const doubts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'a run of backticks without its other half': [
      ['` @a', '` @·a'],
      ['`` @a `', '`` @·a `'],
      ['a ` b\n`@a`\n`@b`', 'a ` b\n`@·a`\n`@·b`'],
      ['`@a` ` `` `@b`', '`@a` ` `` `@·b`'],
    ],
    'a backtick that another mark may have taken': [
      ['[a](`) @a `', '[a](`) @·a `'],
      ['\\` @a `', '\\` @·a `'],
      ['$ ` @a `', '$ ` @·a `'],
      ['[a]: `@a`', '[a]: `@·a`'],
      ['[^`] @a `', '[^`] @·a `'],
      ['https://a.b/` @a `', 'https://a.b/` @·a `'],
      ['www.a.b` @a `', 'www.a.b` @·a `'],
      ['[a](http://x/y)` @a `', '[a](http://x/y)` @·a `'],
    ],
    'a cell that ends within it': [['a | b\n--|--\n`@a | @b`', 'a | b\n--|--\n`@·a | @·b`']],
    'attributes of a heading': [['# t `@a` {x} ##\n`@b`', '# t `@·a` {x} ##\n`@·b`']],
    'a fence that its list or quotation ends before': [
      [`> ${FENCE}\n@a\n> ${FENCE}`, `> ·${FENCE}\n@·a\n> ·${FENCE}`],
      [`> ${FENCE}\n\n> ${FENCE}`, `> ·${FENCE}\n\n> ·${FENCE}`],
      [`  ${FENCE}\n @a\n  ${FENCE}`, `  ·${FENCE}\n @·a\n  ·${FENCE}`],
      [`- ${FENCE}\n  @a`, `- ·${FENCE}\n  @·a`],
    ],
    'a fence with an end that one parser sees': [
      [`  ${FENCE}\n  @a\n     ${FENCE}\n  ${FENCE}`, `  ·${FENCE}\n  @·a\n     ·${FENCE}\n  ·${FENCE}`],
      [`${FENCE}\na\n    ${FENCE}\n@b\n${FENCE}`, `${FENCE}\na\n·    ${FENCE}\n@b\n${FENCE}`],
      [`${FENCE}\na\n> ${FENCE}\n@b`, `${FENCE}\na\n> ${FENCE}\n@b\n${FENCE}`],
    ],
    'a fence that may go on with a paragraph': [
      [`a\n    ${FENCE}\n    @a\n    ${FENCE}`, `a\n    ·${FENCE}\n    @·a\n    ·${FENCE}`],
    ],
    'backticks behind a fence’s own': [['a ```b` @a', 'a ·```b` @·a']],
  };
  for (const [what, cases] of Object.entries(doubts))
    it(`is text: ${what}`, () => {
      for (const [given, posted] of cases) assert.equal(inert(given), posted);
    });

  it('is nowhere left as it is: what is in the disguise is broken, or the disguise', () => {
    const left = CONFUSING.filter(({ text }) => inertText(text, FORGE) === text).map(({ name }) => name);
    assert.deepEqual(left, []);
  });
});

describe('lines of an agent’s text', () => {
  it('stay what they are where nothing is in them that a forge acts on', () => {
    const changed = HARMLESS.map(({ name, text }) => ({ name, text: text.replaceAll('{forge}', FORGE) }))
      .filter(({ text }) => inertText(text, FORGE) !== text)
      .map(({ name }) => name);
    assert.deepEqual(changed, ['a fence without its end', 'a folded part', 'elements in a line']);
  });

  it('keep the blank ones among them', () => {
    for (const text of ['a\n\n\nb\n', '\n', '']) assert.equal(inert(text), text);
    assert.equal(inert('a ` b\n \t\n`@a`'), 'a ` b\n\n`@a`');
  });

  it('of a folding element stand alone, so that code below them is code', () => {
    for (const [given, posted] of [
      ['<details>\n`@a`\n</details>', '<details>\n\n`@a`\n</details>'],
      ['<details open>\n\n`@a`', '<details open>\n\n`@a`'],
      ['  </SUMMARY>\n@a', '  </SUMMARY>\n\n@·a'],
      ['a ` b\n<details>\n`@a`', 'a ` b\n<details>\n\n`@a`'],
      ['a <details>\nb', 'a ·<details>\nb'],
      ['    <details>\nb', '    ·<details>\nb'],
      ['<details><img src=x>', '<details><·img src=x>'],
    ] as const)
      assert.equal(inert(given), posted);
  });

  it('are no settings of the page', () => {
    for (const [given, posted] of [
      ['---\na: b\n---', '***\na: b\n---'],
      ['-----  \na', '***\na'],
      ['---', '***'],
      ['--\na', '--\na'],
      ['---a', '---a'],
      ['x\n---\ny', 'x\n---\ny'],
    ] as const)
      assert.equal(inert(given), posted);
  });
});
