import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isAllowedPath, isProtectedPath, refusedPaths } from '../../../src/domain/publish-policy.js';

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
    '.gitmodules',
  ];
  const fine = [
    'src/.github/x',
    'vendor/x/.gitmodules',
    'src/CODEOWNERS',
    'github/x',
    '.gitignore',
    'CODEOWNERS.md',
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
