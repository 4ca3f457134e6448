import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/entries/entry-process.js';

/** What the linter has no rule for. */
const BANNED = [
  { what: 'an enum: use a union of string literals', pattern: /^\s*(?:export |declare |const )*enum\s/m },
  { what: 'a barrel: import from the file that defines it', pattern: /^\s*export \*/m },
  { what: 'a rule switched off in a file: change it in .oxlintrc.json', pattern: /\b(?:ox|es)lint-disable/ },
] as const;

function bannedIn(source: string): readonly string[] {
  return BANNED.filter(({ pattern }) => pattern.test(source)).map(({ what }) => what);
}

describe('syntax that nobody uses here', () => {
  for (const { planted, count } of [
    { planted: 'enum Phase { running }', count: 1 },
    { planted: '  export const enum Phase { running }', count: 1 },
    { planted: "export * from './phase.js';", count: 1 },
    { planted: ['// ox', 'lint-disable-next-line no-console'].join(''), count: 1 },
    { planted: "export { phase } from './phase.js'; // enum of phases", count: 0 },
  ])
    it(`${count === 0 ? 'is not' : 'is'} found in: ${planted}`, () => {
      assert.equal(bannedIn(planted).length, count);
    });

  it('is nowhere', () => {
    const found = ['src', 'test', 'bench', 'script'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.[cm]?ts$/.test(name) && !name.startsWith('fixtures/'))
        .flatMap((name) =>
          bannedIn(readFileSync(join(ROOT, folder, name), 'utf8')).map(
            (what) => `${folder}/${name}: ${what}`,
          ),
        ),
    );
    assert.deepEqual(found, []);
  });
});
