import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../docs/tree.js';

/** Gitea's is checked against the sum beside it or, compiled, by Go; nobody had that opencode to make a sum of. */
const WITHOUT = ['GITEA_BINARY_SHA256_AARCH64', 'GITEA_BINARY_SHA256_X86_64', 'OPENCODE_SHA256_AARCH64'];

describe('script/lib/versions.sh', () => {
  const text = readFileSync(path.join(ROOT, 'script/lib/versions.sh'), 'utf8');
  const sums = [...text.matchAll(/^(\w+_SHA256(?:_\w+)?)=(.*)$/gm)].map(([, name = '', sum = '']) => ({
    name,
    sum,
  }));

  it('has a sum of all that is downloaded, but for what is said why', () => {
    const without = sums.filter(({ sum }) => !/^[0-9a-f]{64}$/.test(sum)).map(({ name }) => name);
    assert.deepEqual(without.sort(), WITHOUT);
    assert.ok(sums.length > 20);
  });

  it('has one for each of two processors', () => {
    const names = new Set(sums.map(({ name }) => name));
    const alone = [...names].filter(
      (name) =>
        /_(?:X86_64|AARCH64)$/.test(name) &&
        !names.has(
          name.endsWith('X86_64') ? name.replace('X86_64', 'AARCH64') : name.replace('AARCH64', 'X86_64'),
        ),
    );
    // Another processor has it from the Python package.
    assert.deepEqual(alone, ['TEMPORAL_TARBALL_SHA256_X86_64']);
  });
});
