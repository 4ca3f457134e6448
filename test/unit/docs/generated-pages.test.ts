import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PAGE_NAMES, pageOf } from '../../../script/lib/docs/pages.js';

describe('a generated page', () => {
  for (const name of PAGE_NAMES)
    it(`is what script/docs.ts makes: ${name}`, async () => {
      const { file, text } = await pageOf(name);
      assert.equal(readFileSync(file, 'utf8'), text);
    });

  it('has every command', async () => {
    const { text } = await pageOf('commands');
    for (const heading of ['## signal', '## orchestrate start', '## forge setup'])
      assert.ok(text.includes(`\n${heading}\n`), heading);
  });
});
