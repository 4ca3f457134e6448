import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { storyOf, terminalPage } from '../../../script/lib/pictures/terminal-page.js';
import { readPage } from './markdown.js';
import { ROOT, readTree } from './tree.js';

const MAX_BYTES = 300_000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

describe('the pictures of the README', () => {
  const pictures = readTree().files.filter((file) => file.startsWith('docs/images/'));

  it('are shown, and small enough to be loaded each time', () => {
    const shown = readPage(readFileSync(path.join(ROOT, 'README.md'), 'utf8')).links.map(
      ({ target }) => target,
    );
    assert.ok(pictures.length >= 2);
    for (const picture of pictures) {
      const content = readFileSync(path.join(ROOT, picture));
      assert.ok(shown.includes(picture), `${picture} is not shown`);
      assert.ok(content.length < MAX_BYTES, `${picture} has ${String(content.length)} bytes`);
      assert.deepEqual(content.subarray(0, 4), PNG);
    }
  });
});

describe('a terminal as a page', () => {
  const output = [
    '==> ready',
    '',
    '\u001b[1mbot-bottle: one issue\u001b[0m',
    '  1.00 s  \u001b[32m✓\u001b[0m alice  opens <b>#1</b> & waits',
    '  2.00 s    \u001b[2mworkflow  turn 1\u001b[0m',
    '',
    '\u001b[1mTimeline\u001b[0m',
    '  2.00 s  turn 1',
  ].join('\r\n');

  it('has the story without set-up and figures', () => {
    const story = storyOf(output);
    assert.equal(story.length, 3);
    assert.match(story[0] ?? '', /one issue/);
    assert.match(story[2] ?? '', /turn 1/);
    assert.throws(() => storyOf('error: no engine'), /no heading/);
  });

  it('has colours, and shows text as text', () => {
    const page = terminalPage('a & b', storyOf(output));
    assert.match(page, /<span class="good">✓<\/span>/);
    assert.match(page, /opens &lt;b&gt;#1&lt;\/b&gt; &amp; waits/);
    assert.match(page, /<span class="dim">workflow {2}turn 1<\/span>/);
    assert.ok(!page.includes('\u001b') && !page.includes('<b>') && page.includes('a &amp; b'));
  });
});
