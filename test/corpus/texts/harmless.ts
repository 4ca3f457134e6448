import type { TextCase } from './text-case.js';

/** Texts that agents write, which the forge must render as if they had been posted as they are. */
export const HARMLESS: readonly TextCase[] = [
  { name: 'headings', text: '# One\n\ntext\n\n## Two\n\nThree\n=====\n\nFour\n----' },
  { name: 'emphasis', text: 'a *b* **c** ***d*** ~~e~~ __f__ **Done!** and *really?*' },
  { name: 'lists', text: '- a\n- b\n  - c\n    - d\n\n1. one\n2. two\n   more\n\n* x\n+ y' },
  { name: 'tasks', text: '- [ ] to do\n- [x] done' },
  {
    name: 'a table',
    text: '| file | lines | `code` |\n|:-----|------:|---|\n| a.ts | 12 | `x` |\n| b.ts | 3 | **y** |',
  },
  { name: 'a quotation', text: '> said\n> more\n>\n> > deeper' },
  { name: 'an alert', text: '> [!NOTE]\n> Mind this.' },
  { name: 'a rule', text: 'a\n\n---\n\nb\n\n***' },
  {
    name: 'links',
    text: '[a](https://example.test/x?y=1&z=2#part) [b](docs/run.md) [c](/alice/demo/src/branch/main/README.md "title") <https://example.test/a>',
  },
  {
    name: 'bare addresses',
    text: 'See https://example.test/a_b/c.html, https://www.npmjs.com/package/@types/node and (https://example.test/x#L12).',
  },
  {
    name: 'links by reference',
    text: '[a][r] and [r] and [b][]\n\n[r]: https://example.test/r "title"\n[b]: /alice',
  },
  { name: 'a mail address', text: 'Write to somebody@example.test or <somebody@example.test>.' },
  { name: 'an image of the forge', text: '![a chart]({forge}/alice/demo/raw/branch/main/chart.png)' },
  {
    name: 'an image of the repository',
    text: '![](docs/chart.png) and ![x](/alice/demo/raw/branch/main/x.svg)',
  },
  {
    name: 'a fence',
    text: 'Run this:\n\n```sh\nnpm test && echo "<done>" # 12 @you !3\ncurl https://example.test/issues/5\n```\n\nand look.',
  },
  {
    name: 'a fence with marks in it',
    text: '```ts\n@Component({ a: `x` })\nconst t = "<img src=https://evil.example/p.png>"; // closes #1, alice/demo#1\n![x](https://evil.example/p.png)\n[[x]] $$ &#35; \\[ <!-- -->\n```',
  },
  { name: 'a fence of tildes', text: '~~~\n```\nno <b>end</b> @alice\n```\n~~~' },
  { name: 'a long fence', text: '`````md\n````\n```js\n@alice #1\n```\n````\n`````' },
  { name: 'a fence right behind text', text: 'Text\n```\n@alice #1\n```\nmore' },
  { name: 'a fence without its end', text: 'a\n\n```js\nlet x = "@alice #1";' },
  {
    name: 'a fence in a list',
    text: '1. First:\n   ```sh\n   git commit -m "closes #1"\n\n   git push\n   ```\n2. Then\n\n- a\n\n  ```\n  @alice <b>\n  ```',
  },
  { name: 'a fence in a nested list', text: '- a\n  - b\n\n    ```\n    @alice #1\n    ```\n- c' },
  { name: 'a fence that is a list item', text: '- ```js\n  // @alice #1\n  ```\n- b' },
  { name: 'a fence in a quotation', text: '> ```\n> @alice <b> #1\n> ```\n> said' },
  { name: 'a diff', text: '```diff\n- "left": "@a/b",\n+ "right": "#1",\n```' },
  {
    name: 'code in a line',
    text: 'Use `Map<string, number>`, `@decorator`, `#1`, `` a`b <c> ``, `owner/repo#1` and `![x](https://evil.example/p.png)`.',
  },
  { name: 'code in lists and headings', text: '# `<App>`\n\n- `@scope/pkg`: new\n- fixes `<b>`\n\n> `@x`' },
  { name: 'code in a table', text: '| a | b |\n|---|---|\n| `@alice` | `<T>` |' },
  { name: 'indented code', text: 'a\n\n    let x = 1;\n    y(x);\n\nb' },
  {
    name: 'a folded part',
    text: '<details>\n<summary>Log</summary>\n\n```\n@alice <b>\n```\n\n</details>\n\nafter',
  },
  {
    name: 'a folded part in one line',
    text: '<details><summary>Log of 3 runs</summary>\n\n- a\n- b\n\n</details>',
  },
  {
    name: 'elements in a line',
    text: 'H<sub>2</sub>O, x<sup>2</sup>, press <kbd>Ctrl</kbd>+<kbd>C</kbd>, a<br>b',
  },
  { name: 'entities', text: '&lt;b&gt; &amp; &quot;x&quot; &nbsp; &copy; &mdash; &#8212; &rarr; &#39;' },
  {
    name: 'signs',
    text: '# 1. Title\n\nC#, F#, 50 % of 3 < 4 && 5 > 2, a != b, x! [y], $5 and 10$, ~5, and/or, 1/2, `a`/`b`',
  },
  { name: 'line breaks', text: 'a  \nb\\\nc' },
  { name: 'footnotes', text: 'a[^1] b[^note]\n\n[^1]: one\n[^note]: two' },
  { name: 'mathematics', text: 'The sum $a + b$ is $`c`$.' },
  { name: 'emoji', text: '👩‍🔧 :rocket: ✅ done' },
  { name: 'escapes', text: '\\*not\\* \\# no \\_x\\_ 1\\. a' },
  { name: 'other scripts', text: 'Привет, 世界, مرحبا, नमस्ते' },
  {
    name: 'a report',
    text: '## Summary\n\nAdds a **retry** to `fetchAll()` (see `src/fetch.ts`).\n\n| before | after |\n|---|---|\n| 3 s | 1 s |\n\n### How it was checked\n\n1. `npm test`: 120 passing\n2. by hand:\n   ```sh\n   node dist/cli.js --help\n   ```\n\n[docs](https://example.test/docs)',
  },
];
