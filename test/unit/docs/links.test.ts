import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathsIn, problemsOf, type World } from './check-page.js';
import { readPage } from './markdown.js';
import { ROOT, readTree, treeOf } from './tree.js';

describe('the documents', () => {
  const tree = readTree();
  const documents = tree.files.filter((file) => file.endsWith('.md'));
  const world: World = { tree, read: (file) => readFileSync(path.join(ROOT, file), 'utf8') };

  it('are found, with links and paths to check', () => {
    for (const expected of ['README.md', 'docs/security.md', 'docs/adr/0001-record-decisions.md'])
      assert.ok(documents.includes(expected), expected);
    const pages = documents.map((file) => readPage(world.read(file)));
    assert.ok(pages.flatMap(({ links }) => links).length > 30);
    assert.ok(pages.flatMap(({ code }) => code.flatMap(({ text }) => pathsIn(text))).length > 100);
  });

  it('link to files and headings that exist, and name paths that exist', () => {
    assert.deepEqual(
      documents.flatMap((file) => problemsOf(file, world.read(file), world)),
      [],
    );
  });
});

describe('every page of docs/', () => {
  const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
  const pages = readTree().files.filter((file) => /^docs\/[^/]+\.md$/.test(file));

  for (const from of ['README.md', 'docs/index.md'])
    it(`is linked from ${from}`, () => {
      const linked = readPage(read(from)).links.map(({ target: link }) =>
        path.posix.join(path.posix.dirname(from), link.split('#')[0] ?? ''),
      );
      assert.ok(pages.length > 10);
      assert.deepEqual(
        pages.filter((page) => page !== from && !linked.includes(page)),
        [],
      );
    });
});

describe('the check of a document', () => {
  const other = ['# Other', '## The second `part`, again', '## The second part, again'].join('\n');
  const world: World = {
    tree: treeOf(['README.md', 'docs/here.md', 'docs/other.md', 'src/cli/base/deps.ts', 'script/test']),
    read: (file) => (file === 'docs/other.md' ? other : assert.fail(`read ${file}`)),
  };
  const problems = (text: string): string[] => problemsOf('docs/here.md', text, world);

  it('finds a planted link, anchor and path that lead nowhere, with its line', () => {
    const text = [
      'A [good](other.md#the-second-part-again-1) one, a [bad](missing.md) one,',
      'a [bad anchor](other.md#part), a [way out](../../README.md).',
      'Run `script/tset lint`, see `src/cli/*.js`.',
      '```',
      'script/test lint    # src/gone.ts',
      '```',
    ].join('\n');
    assert.deepEqual(problems(text), [
      'docs/here.md:1: missing.md: no such file',
      'docs/here.md:2: other.md#part: no such heading',
      'docs/here.md:2: ../../README.md: no such file',
      'docs/here.md:3: script/tset is not there',
      'docs/here.md:3: src/cli/*.js is not there',
      'docs/here.md:5: src/gone.ts is not there',
    ]);
  });

  it('takes directories, patterns, addresses elsewhere and what stands for something else', () => {
    const text = [
      '[up](../README.md) [folder](../src/cli/) [`code`](other.md) <https://example.org/src/x.ts>',
      '[elsewhere](https://example.org/missing.md#x) `[not](a-link.md)` [here](#below)',
      '## Below',
      '`src/cli/`, `src/**/*.ts`, `script/test lint unit`, `docs/adr/NNNN-title.md`, `~/src/x`, `$HOME/docs/y`',
    ].join('\n');
    assert.deepEqual(problems(text), []);
  });

  it('knows headings by the names that forges give them', () => {
    assert.deepEqual(
      [...readPage(other).anchors],
      ['other', 'the-second-part-again', 'the-second-part-again-1'],
    );
    assert.deepEqual(
      [...readPage('# 4. Pure machine: [why](x.md), and *how*\n```\n# none\n```').anchors],
      ['4-pure-machine-why-and-how'],
    );
  });
});
