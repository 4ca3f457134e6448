import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';

/** What mocha itself asks; it only warns of a pattern that is none to it, as one with braces and no star. */
const { lookupFiles } = createRequire(import.meta.url)('mocha/lib/cli/lookup-files.js') as {
  lookupFiles: (pattern: string, extensions: readonly string[], recursive: boolean) => string[];
};

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

describe('the patterns of the test scripts', () => {
  for (const [name, command] of Object.entries(scripts)) {
    const patterns = [...command.matchAll(/'(test\/[^']+)'/g)].map(([, pattern = '']) => pattern);
    if (patterns.length === 0) continue;
    it(`of ${name} find files`, () => {
      for (const pattern of patterns.filter((one) => !one.endsWith('/**')))
        assert.ok(lookupFiles(join(ROOT, pattern), ['.ts'], false).length > 0, pattern);
    });
  }
});
