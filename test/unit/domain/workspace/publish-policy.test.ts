import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isAllowedPath,
  isProtectedPath,
  nameObjection,
  refusedPaths,
} from '../../../../src/domain/workspace/publish-policy.js';

describe('publish policy', () => {
  const refused = [
    '.gitea/workflows/ci.yml',
    '.forgejo/x',
    '.github',
    '.GitHub/workflows/x',
    '.woodpecker/x.yml',
    '.woodpecker.yaml',
    '.drone.yml',
    '.drone.star',
    '.gitlab-ci.yml',
    'CODEOWNERS',
    'docs/codeowners',
    '.gitlab/CODEOWNERS',
    'docs/CODEOWNERS/team',
    '.gitmodules',
    '.bot-bottle',
    '.bot-bottle/agents/coder.md',
    '.bot-bottle/x',
  ];
  const fine = [
    'src/.github/x',
    'src/.bot-bottle/agents/x.md',
    'bot-bottle/x',
    '.bot-bottles/x',
    'vendor/x/.gitmodules',
    'src/CODEOWNERS',
    'github/x',
    '.gitignore',
    'CODEOWNERS.md',
    'CODEOWNERSHIP/team',
    'src/docs/CODEOWNERS/',
    '.githubx/a',
  ];

  it('protects what forges and CI act on, whatever the letter case', () => {
    for (const path of refused) {
      assert.ok(isProtectedPath(path), path);
      assert.ok(isProtectedPath(path.toUpperCase()), path);
    }
    for (const path of fine) assert.ok(!isProtectedPath(path), path);
    assert.deepEqual(refusedPaths([...fine, ...refused, ...refused], []), refused);
  });

  it('protects what a disk that folds letters takes for the same', () => {
    for (const path of [
      '.ｇitea/x',
      '.gitmoduleſ',
      '.Bot-Bottle/a',
      '.ＢＯＴ-bottle',
      '.woodpec\u212Aer.yml',
      '.gıthub/x',
    ])
      assert.ok(isProtectedPath(path), path);
    // Allowing is exact.
    assert.deepEqual(refusedPaths(['.Bot-Bottle/a'], ['.bot-bottle/']), ['.Bot-Bottle/a']);
    assert.deepEqual(refusedPaths(['.bot-bottle/a'], ['.bot-bottle/']), []);
  });

  describe('of names', () => {
    const odd: readonly (readonly [string, string])[] = [
      ['a\tb', 'control character'],
      ['a\u0085b', 'control character'],
      ['end\\', 'backslash'],
      ['"x"', 'quotation mark'],
      ['a\uFFFDb', 'not UTF-8'],
      ['invoice\u202Egnp.sh', 'U+202E'],
      ['a\u2066b', 'U+2066'],
      ['a\u200Eb', 'U+200E'],
      ['a\u200Bb', 'U+200B'],
      ['a\u200Db', 'U+200D'],
      ['a\u00ADb', 'U+00AD'],
      ['\uFEFFREADME.md', 'U+FEFF'],
      ['a\u3164', 'U+3164'],
      ['a\uFE0F', 'U+FE0F'],
      ['a\u034Fb', 'U+034F'],
      ['a\u{E0041}', 'U+E0041'],
      ['a\uE000', 'U+E000'],
      ['a\u00A0b', 'U+00A0'],
      ['a\u2003b', 'U+2003'],
      ['a\u2028b', 'U+2028'],
      ['a\u2800', 'U+2800'],
      ['src\u200B/a.ts', 'U+200B'],
      [`${'ä'.repeat(128)}/x`, 'more than 255 bytes in one part'],
      [
        Array.from({ length: 5 }, () => 'd'.repeat(204))
          .join('/')
          .concat('/'),
        'more than 1024 bytes',
      ],
    ];
    for (const [path, why] of odd) {
      it(`refuses ${JSON.stringify(path.slice(0, 30))}: ${why}`, () => {
        const objection = nameObjection(path);
        assert.ok(objection?.includes(why) === true, objection);
        assert.doesNotMatch(objection, /[^ -~]/);
      });
    }

    it('takes names of any script, of emoji, and as long as a disk has them', () => {
      const long = Array.from({ length: 5 }, () => 'd'.repeat(204)).join('/');
      assert.equal(long.length, 1024);
      for (const path of [
        'a b.txt',
        'Größe/日本語 ١٢.txt',
        'עברית.md',
        'e\u0301.txt',
        '⚠️ 👩‍💻.md',
        'ä'.repeat(127),
        'x'.repeat(255),
        long,
      ])
        assert.equal(nameObjection(path), undefined, path);
    });
  });

  it('lets operators allow by pattern, segment by segment', () => {
    const allowed = (path: string, ...patterns: string[]) => isAllowedPath(path, patterns);
    assert.ok(allowed('.gitea/workflows/a.yml', '.gitea/workflows/*.yml'));
    assert.ok(!allowed('.gitea/workflows/deep/a.yml', '.gitea/workflows/*.yml'));
    assert.ok(allowed('.gitea/workflows/deep/a.yml', '.gitea/'));
    assert.ok(allowed('.gitea/a/b/c.yml', '.gitea/**/c.yml'));
    assert.ok(allowed('.gitea/c.yml', '.gitea/**/c.yml'));
    assert.ok(allowed('CODEOWNERS', 'nothing', 'CODEOWNERS'));
    assert.ok(allowed('.drone.yml', '.drone.y?l'));
    assert.ok(!allowed('.GITEA/workflows/a.yml', '.gitea/'), 'allowing is exact');
    assert.ok(!allowed('.github/x', '.gitea/', '*'));
    assert.ok(allowed('.github/x', '**'));
    for (const root of ['/', './']) assert.ok(allowed('.drone.yml', `${root}.drone.yml`));
    assert.ok(allowed('.gitea/x', '.gitea/x', '.gitea/**') && !allowed('.gitea', '.gitea/?'));
  });

  it('treats everything but wildcards literally', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[^/*?]{1,12}$/), { minLength: 1, maxLength: 5 }),
        (segments) => {
          const path = segments.join('/');
          // A leading ./ or / of a pattern means the root.
          fc.pre(!path.startsWith('./'));
          assert.ok(isAllowedPath(path, [path]));
          assert.ok(!isAllowedPath(`${path}x`, [path]));
        },
      ),
    );
  });

  it('takes no time over patterns made to be slow', () => {
    const started = performance.now();
    assert.ok(!isAllowedPath('a'.repeat(4000), [`${'a*'.repeat(500)}b`]));
    assert.ok(!isAllowedPath('a/'.repeat(2000), [`${'**/a/'.repeat(200)}b`]));
    assert.ok(performance.now() - started < 2000);
  });
});
