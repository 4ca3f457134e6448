import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shallowBoundary } from '../../../src/adapters/git/shallow-boundary.js';
import { GitFixture, git } from './git-fixture.js';

describe('where a shallow history ends', function () {
  this.timeout(120_000);
  let fixture: GitFixture;
  before(() => {
    fixture = new GitFixture();
    // Four branches that are merged into one another in turn: paths of different lengths to the same commits.
    const branches = ['a', 'b', 'c', 'd'];
    for (const branch of branches) git(fixture.person, 'branch', branch, 'main');
    for (let i = 0; i < 24; i += 1) {
      const branch = branches[(i * 7) % 4] ?? '';
      const other = branches[(i * 5 + 1) % 4] ?? '';
      git(fixture.person, 'checkout', '-q', branch);
      fixture.commit(fixture.person, `${branch}-${String(i)}.txt`, String(i), 'alice');
      if (i % 3 === 0 && other !== branch) git(fixture.person, 'merge', '-q', '--no-edit', other);
    }
    git(fixture.person, 'push', '-q', 'origin', ...branches);
  });
  after(() => {
    fixture.remove();
  });

  for (const depth of [1, 2, 3, 5, 8, 100]) {
    it(`is where git clone --depth ${String(depth)} ends it`, async () => {
      const clone = join(fixture.root, `clone-${String(depth)}`);
      const url = `file://${fixture.forge}`;
      git(
        fixture.root,
        'clone',
        '-q',
        '--bare',
        `--depth=${String(depth)}`,
        '--no-single-branch',
        url,
        clone,
      );
      const tips = git(fixture.forge, 'for-each-ref', '--format=%(objectname)', 'refs/heads').split('\n');
      const ends = existsSync(join(clone, 'shallow')) ? readFileSync(join(clone, 'shallow'), 'utf8') : '';
      const roots = git(fixture.forge, 'rev-list', '--all', '--max-parents=0').split('\n');
      // git also names a first commit, behind which there is nothing to cut off.
      const expected = ends.split('\n').filter((id) => id !== '' && !roots.includes(id));
      assert.equal(expected.length > 0, depth < 100);
      assert.deepEqual(await shallowBoundary(fixture.forge, [...new Set(tips)], depth), expected.sort());
    });
  }

  it('is found in a history that is read in more than one piece', async () => {
    const commits = Array.from({ length: 600 }, (_, i) => {
      // The second line is much younger, and git gives its commits first.
      const [ref, mark, at] = i < 300 ? ['old', 1, 1] : ['young', 2, 1_700_000_000];
      return `commit refs/heads/${ref}\nmark :${String(i + 1)}\ncommitter a <a@x> ${String(at + i * mark)} +0000\ndata 1\nx\n`;
    });
    execFileSync('git', ['-C', fixture.forge, 'fast-import', '--quiet'], { input: commits.join('\n') });
    const tips = ['old', 'young'].map((ref) => git(fixture.forge, 'rev-parse', ref));
    const expected = ['old~1', 'young~1'].map((ref) => git(fixture.forge, 'rev-parse', ref)).sort();
    assert.deepEqual(await shallowBoundary(fixture.forge, tips, 2), expected);
  });
});
