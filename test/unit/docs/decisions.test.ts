import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, readTree } from './tree.js';

const FILE = /^docs\/adr\/(\d{4})-([a-z0-9-]+)\.md$/;

describe('the decisions', () => {
  const files = readTree()
    .files.filter((file) => file.startsWith('docs/adr/'))
    .sort();

  it('are numbered without a gap', () => {
    assert.ok(files.length > 3);
    const numbers = files.map((file) => Number(FILE.exec(file)?.[1] ?? assert.fail(file)));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });

  it('are linked by the number that the link says', () => {
    const wrong = readTree()
      .files.filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const text = readFileSync(path.join(ROOT, file), 'utf8');
        const links = [...text.matchAll(/\[(?:ADR|decision) (\d+)\]\([^)]*?(\d{4})-[^)]*\)/g)];
        return links
          .filter(([, said, linked]) => Number(said) !== Number(linked))
          .map(([link]) => `${file}: ${link}`);
      });
    assert.deepEqual(wrong, []);
  });

  it('have the number and the words of their file in their title, and the parts of a decision', () => {
    for (const file of files) {
      const [, number, name = ''] = FILE.exec(file) ?? [];
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      const [, titleNumber, title = ''] =
        /^# (\d+)\. (.+)$/m.exec(text) ?? assert.fail(`${file} has no title`);
      assert.equal(Number(titleNumber), Number(number), file);
      const words = title
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replace(/ /g, '-');
      assert.ok(words.startsWith(name), `${file} is about "${title}"`);
      for (const part of ['Status: ', '## Context', '## Decision', '## Consequences'])
        assert.ok(text.includes(`\n${part}`), `${file} has no ${part}`);
    }
  });
});
