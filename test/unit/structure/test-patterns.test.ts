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
    it(`of ${name} find files, and none twice`, () => {
      const found = patterns
        .filter((one) => !one.endsWith('/**'))
        .map((pattern) => ({ pattern, files: lookupFiles(join(ROOT, pattern), ['.ts'], false) }));
      for (const { pattern, files } of found) assert.ok(files.length > 0, pattern);
      const all = found.flatMap(({ files }) => files);
      // Where files are given to several processes, mocha runs them as often as they are named.
      assert.deepEqual(
        all.filter((file, at) => all.indexOf(file) !== at),
        [],
      );
    });
  }
});
