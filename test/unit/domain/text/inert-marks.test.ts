import assert from 'node:assert/strict';
import { inertText } from '../../../../src/domain/text/inert-text.js';

const FORGE = 'https://forge.test';
/** `·` stands for the zero-width space that a mark is broken with. */
const inert = (text: string): string => inertText(text, FORGE).replaceAll('\u200B', '·');

/** What is given, and what is posted; alone where it stays as it is. */
const MARKS: Readonly<Record<string, readonly (readonly [string, string?])[]>> = {
  'mentions and logs of time': [
    ['@alice', '@·alice'],
    ['(@alice, @bob)', '(@·alice, @·bob)'],
    ['fixed @1h', 'fixed @·1h'],
    ['a@b.test, pkg@1.2.3, @ alice'],
  ],
  'commits of another repository': [['o/r@0123abc', 'o/r@·0123abc'], ['o/r@0123ab'], ['r@0123abc']],
  'issues and pull requests': [
    ['closes #12, alice/demo#12, !12', 'closes #·12, alice/demo#·12, !·12'],
    ['#**12** #\\12', '#·**12** #·\\12'],
    ['GH-7, gh-7, xGH-7', 'GH-·7, gh-·7, xGH-7'],
    ['see /issues/1 /pull/2 /pulls/3', 'see /issues/·1 /pull/·2 /pulls/·3'],
    ['see /issues/new, # 12, a != b'],
  ],
  'commands at the beginning of a line': [
    ['/approve\n  /merge\n> /close\n- /label x', '/·approve\n  /·merge\n> /·close\n- /·label x'],
    ['and /approve, and/or, / x'],
  ],
  'entities that make marks': [
    ['&#64;alice &#x40;alice &#X40;alice', '&·#·64;alice &·#·x40;alice &·#·X40;alice'],
    ['&#64 &num;12 &commat;alice', '&·#·64 &·num;12 &·commat;alice'],
    ['&#8203; &#x9f; &#1114112; &#00000064;', '&·#·8203; &·#·x9f; &·#·1114112; &·#·00000064;'],
    // Without its end, or with eight digits, it is no entity, and its number may be an issue's.
    ['&#390 &#00000039;', '&·#·390 &·#·00000039;'],
    ['&#0000039; &#xA0; &#x1f600; &#1114111; &amp; &lt; &lt'],
  ],
  'elements that load or hide': [
    ['<img src=x> <!-- x --> </p> <?x', '<·img src=x> <·!-- x --> <·/p> <·?x'],
    // Not at the beginning of a line, where a block of HTML would open.
    ['<b>x</b>', '·<b>x</b>'],
    ['x<br>y (1)<sup>a</sup> 3 < 4'],
  ],
  'pictures by short links and references': [
    ['[[p.png]] [\\[p.png]]', '[·[p.png]] [··\\[p.png]]'],
    ['![a][r]', '!·[a][r]'],
  ],
  mathematics: [
    ['$$x$$', '$·$x$·$'],
    ['\\[ x', '·\\[ x'],
    ['\\[[x \\[\\[x', '·\\[·[x ·\\[··\\[x'],
    ['\\[x[', '·\\[x['],
    ['$x$ and 5$'],
  ],
  'fences behind text': [
    ['a ``` b ~~~ c', 'a ·``` b ·~~~ c'],
    ['a```, a~~~', 'a·```, a·~~~'],
  ],
  'addresses of issues': [
    ['https://a.test/x/issues/12', 'https://a.test/x/issues/%312'],
    ['HTTPS://a.test/x/issues/12', 'HTTPS://a.test/x/issues/%312'],
    ['<https://a.test/x/pulls/5>', '<https://a.test/x/pulls/%35>'],
    ['[x](/a/b/issues//12)', '[x](/a/b/issues//%312)'],
    ['[x](/a/b/issues/&#49;)', '[x](/a/b/issues/&·#·49;)'],
    ['https://a.test/a/issues\\/1', 'https://a.test/a/issues\\/·1'],
  ],
  'lines of a file, shown in place of an address': [
    ['https://a.test/a/src/commit/01/x.ts#L12', 'https://a.test/a/src/commit/01/x.ts#·L12'],
    ['[x](/a/src/commit/01/x.ts#L12)'],
    ['https://a.test/x.ts#L12 https://a.test/a/src/commit/01/x.md#Part'],
  ],
  'links that load nothing': [['[a](b "t") <somebody@a.test> <https://a.test/@b#c>']],
};

describe('a mark of a forge in running text', () => {
  for (const [what, cases] of Object.entries(MARKS))
    it(`is broken where it does something, and nothing else is: ${what}`, () => {
      for (const [given, posted = given] of cases) assert.equal(inert(given), posted);
    });
});

describe('an image in running text', () => {
  it('becomes a link with its own words, when it is elsewhere', () => {
    for (const [given, posted] of [
      ['![ ](//e.test/p.png)', '[image](//e.test/p.png)'],
      ['![a b](https://e.test/p.png "t")', '[a b](https://e.test/p.png)'],
      ['![a](https://e.test/issues/1)', '[a](https://e.test/issues/%31)'],
      ['![a](data:x)', '[a](data:x)'],
      ['![a](https://forge.test.evil/p.png)', '[a](https://forge.test.evil/p.png)'],
      ['![a](/p.png?to=x)', '[a](/p.png?to=x)'],
      ['![a](https://forge.test//e.test/p.png)', '[a](https://forge.test//e.test/p.png)'],
    ] as const)
      assert.equal(inert(given), posted);
  });

  it("stays when it is the forge's own", () => {
    for (const text of [
      '![](docs/p.png)',
      '![a](/alice/p_1.png)',
      '![a](https://forge.test/alice/p%20q.png)',
    ])
      assert.equal(inert(text), text);
    assert.equal(inertText('![a](null/p.png)', null), '![a](null/p.png)');
  });
});
