import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, readTree } from './tree.js';

const HEADING = /^### (.+)$/gm;
const MARKER = /<!-- shown by:([^>]*)-->/g;

/** What stands under each heading of the third level in one part of the page. */
function sectionsOf(page: string, part: string): readonly (readonly [string, string])[] {
  const after = page.split(`\n## ${part}\n`)[1] ?? '';
  const text = after.split(/^## /m)[0] ?? '';
  const headings = [...text.matchAll(HEADING)];
  return headings.map((heading, index) => [
    heading[1] ?? '',
    text.slice(heading.index, headings[index + 1]?.index),
  ]);
}

function testsOf(section: string): string[] {
  return [...section.matchAll(MARKER)].flatMap((marker) => (marker[1] ?? '').trim().split(/,\s*/));
}

describe('what the security page says', () => {
  const page = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');
  const tree = readTree();
  const sections = sectionsOf(page, 'What stands between');

  it('is shown, section by section, by tests that there are', () => {
    assert.ok(sections.length >= 9, String(sections.length));
    for (const [heading, text] of sections) {
      const tests = testsOf(text);
      assert.ok(tests.length > 0, `"${heading}" has no <!-- shown by: … -->`);
      for (const file of tests)
        assert.ok(file.endsWith('.test.ts') && tree.has(file), `"${heading}" is shown by ${file}?`);
    }
  });

  it('finds a section without a test, and a test that is not there', () => {
    const [first, second] = sectionsOf(
      '\n## A\n\n### One\n\n<!-- shown by: x.test.ts,\n y.test.ts -->\n\n### Two\n\n## B\n',
      'A',
    );
    assert.deepEqual(testsOf(first?.[1] ?? ''), ['x.test.ts', 'y.test.ts']);
    assert.deepEqual([second?.[0], testsOf(second?.[1] ?? '')], ['Two', []]);
    assert.equal(tree.has('test/x.test.ts'), false);
  });
});
