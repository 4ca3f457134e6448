import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';

const LENGTHS = /\{[^{}]*\bmaxLength: ([\d_]+)[^{}]*\}/g;

/** Limits that fast-check's own size, `small`, stays below: it makes at most twice the least length and ten. */
function unreachedIn(source: string): readonly string[] {
  return [...source.matchAll(LENGTHS)].flatMap(([lengths, most = '']) => {
    const [, least = '0'] = /\bminLength: ([\d_]+)/.exec(lengths) ?? [];
    const isReached = numberOf(most) <= 2 * numberOf(least) + 10 || /\bsize: '/.test(lengths);
    return isReached ? [] : [lengths.replace(/\s+/g, ' ')];
  });
}

function numberOf(digits: string): number {
  return Number(digits.replaceAll('_', ''));
}

describe('a limit of what is generated', () => {
  for (const [planted, count] of [
    ['fc.string({ maxLength: 11 })', 1],
    ['fc.array(one, {\n  minLength: 1,\n  maxLength: 1_000,\n})', 1],
    ["fc.array(fc.string({ maxLength: 40 }), { maxLength: 9, size: 'max' })", 1],
    ["fc.string({ maxLength: 11, size: 'max' })", 0],
    ['fc.string({ minLength: 3, maxLength: 16 })', 0],
  ] as const)
    it(`${count === 0 ? 'is' : 'is not'} reached in: ${planted}`, () => {
      assert.equal(unreachedIn(planted).length, count);
    });

  it('is reached everywhere, or is none', () => {
    const found = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('reached-lengths.test.ts'))
      .flatMap((name) =>
        unreachedIn(readFileSync(join(ROOT, 'test', name), 'utf8')).map(
          (lengths) => `test/${name}: ${lengths}`,
        ),
      );
    assert.deepEqual(found, []);
  });
});
