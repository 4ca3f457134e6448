import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeGitCommit, writeGitObject } from '../../../src/adapters/system/git-objects.js';
import { withTempDir } from '../../support/files/temp-home.js';

/** More is no date for git. */
const NEWEST = '18446744073709551614';

describe('a commit that is written without git', () => {
  it('is one that git has nothing to say against, with its files, parent and date', () =>
    withTempDir(async (dir) => {
      const git = (...args: string[]): string =>
        execFileSync('git', ['--git-dir', dir, ...args], { encoding: 'utf8' });
      git('init', '--quiet', '--bare');
      const blob = await writeGitObject(dir, 'blob', Buffer.from('hello\n'));
      const names = ['0', '1', '10', 'gone-0'];
      const base = await writeGitCommit(dir, { files: [] });
      const files = names.map((name) => ({ name, blob }));
      const tip = await writeGitCommit(dir, { files, parent: base });
      git('update-ref', 'refs/heads/tip', tip);
      git('fsck', '--strict', '--no-dangling');
      assert.deepEqual(git('rev-list', '--parents', '-1', tip).trim().split(' '), [tip, base]);
      assert.deepEqual(git('ls-tree', '--name-only', tip).trim().split('\n'), names);
      assert.equal(git('show', `${tip}:gone-0`), 'hello\n');
      const last = await writeGitCommit(dir, { files: [], date: NEWEST });
      assert.equal(git('log', '-1', '--format=%at', last).trim(), NEWEST);
    }));
});
