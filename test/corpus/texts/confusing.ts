import { ELSEWHERE, type TextCase } from './text-case.js';

const PAYLOADS: Readonly<Record<string, string>> = {
  element: `<img src="${ELSEWHERE}">`,
  image: `![x](${ELSEWHERE})`,
  'short link': '[[https://evil.example/p.png]]',
  reference: '@alice closes #1',
};

/** Texts in which one parser sees code where another sees none; `X` is what is live. */
const DISGUISES: Readonly<Record<string, string>> = {
  'a backtick open since the line before': 'a ` b\n`X`',
  'a backtick in the address of a link': '[a](<`>) X `',
  'a backtick in the title of a link': '[a](b "`") X `',
  'a backtick in the label of a link': '[a][`] X `\n\n[`]: /u',
  'a backtick in the label of a footnote': '[^`] X `\n\n[^`]: note',
  'a backtick in a definition': '[a]: /u "`\n` X `"',
  'a backtick in an element': '<a title="`"> X `',
  'a backtick in an autolink': '<https://a.b/`> X `',
  'a backtick in an attribute of a heading': '# ` X {k="`"}',
  'a backtick behind a backslash': '\\` X `',
  'backticks behind a backslash': '\\`` X `',
  'backticks in cells': 'a | b\n---|---\n` | `x` X ` y`',
  'a cell in code': '| a |\n|---|\n| `x | X ` |',
  'runs of two lengths': '`` ` X ``` `',
  'mathematics before code': '$ ` $ X `',
  'a block of mathematics before a fence': '$$\n```\n$$\nX\n```',
  'a block of mathematics in brackets': '\\[\n```\n\\]\nX\n```',
  'a fence in a comment': '<!--\n```\n-->\nX\n```',
  'a fence in a block of HTML': '<pre>\n```\n</pre>\nX\n```',
  'a fence behind an element': '<div>\n```\nX\n```',
  'code in a block of HTML': '<div>\n`X`',
  'code behind an inline element alone on its line': '<kbd>\n`X`',
  'code in a folded part': '<details>\n`X`\n</details>',
  'code in the heading of a folded part': '<details>\n<summary>`X`</summary>\n</details>',
  'code behind an element of a footnote': '[^1]: <b>\n`X`\n\n[^1]',
  'a fence that a list ends': '- ```\nX\n```',
  'a fence that a list ends, indented': '- a\n  ```\nX\n  ```',
  'a fence that a quotation ends': '> ```\nX\n> ```',
  'a fence that a footnote ends': '[^1]\n\n[^1]: ```\n\n    ```\n    X\n    ```',
  'a fence that a definition ends': 'a\n: ```\n  ```\n  X\n  ```',
  'a fence closed in a list by another one': '- ```\n  a\n  ```\n  X\n  ```\n  b\n  ```',
  'a fence closed by one that is indented more': '  ```\n     ```\n  X\n  ```',
  'a fence closed at the edge': '```\na\n   ```\nX\n    ```',
  'a fence closed by a longer one': '```\na\n`````\nX\n```',
  'a fence closed with white space': '```\na\n``` \t\nX\n```',
  'a fence that is not closed with its own mark': '```\n~~~\n```\nX\n~~~',
  'a fence with a backtick in its language': '``` `\nX\n```',
  'a tilde fence with a backtick in its language': '~~~ ` X\n~~~\nX `',
  'a fence that is too deep': 'a\n    ```\n    X\n\n    ```',
  'a fence with a tab': '\t```\nX\n\t```',
  'a fence in a nested list': '- a\n  - b\n    ```\n  X\n    ```',
  'a fence after an ordered mark': '1. ```\n2. X\n   ```',
  'a fence in two quotations': '> > ```\n> X\n> > ```',
  'a fence in a task': '- [ ] ```\n  X\n  ```',
  'settings of the page': '---\na: "\n```\n---\nX\n```',
  'a line end of another kind': '```\na\r```\rX\r```',
  'an invisible mark in a fence': '``\u200B`\nX\n```',
  'an entity for a backtick': '&#96;X&#96; &grave;X&grave;',
  'a fence of two marks': '``~\nX\n``~',
};

/** Each disguise with each payload. */
export const CONFUSING: readonly TextCase[] = Object.entries(DISGUISES).flatMap(([disguise, text]) =>
  Object.entries(PAYLOADS).map(([name, payload]) => ({
    name: `${name}: ${disguise}`,
    text: text.replaceAll('X', payload),
  })),
);
