import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { stagesMarkdown } from '../../support/machine/stages-page.js';

describe('docs/stages.md', () => {
  it('is what the machine does today: npm run docs:stages', async () => {
    const file = fileURLToPath(new URL('../../../docs/stages.md', import.meta.url));
    const style = await resolveConfig(file);
    const current = await format(stagesMarkdown(), { ...style, filepath: file });
    assert.equal(readFileSync(file, 'utf8'), current);
  });
});
