import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { gitCommit, gitObject, writeGitObjects } from '../../../src/adapters/system/git-objects.js';
import { withTempDir } from '../../support/files/temp-home.js';

/** More is no date for git. */
const NEWEST = '18446744073709551614';

describe('a commit that is written without git', () => {
  it('is one that git has nothing to say against, with its files, parent and date', () =>
    withTempDir(async (dir) => {
      const git = (...args: string[]): string =>
        execFileSync('git', ['--git-dir', dir, ...args], { encoding: 'utf8' });
      git('init', '--quiet', '--bare');
      const blob = gitObject('blob', Buffer.from('hello\n'));
      const names = ['0', '1', '10', 'gone-0'];
      const base = await gitCommit({ files: [] });
      const files = names.map((name) => ({ name, blob: blob.id }));
      const tip = await gitCommit({ files, parent: base.id });
      await writeGitObjects(dir, [blob, ...base.objects, ...tip.objects]);
      git('update-ref', 'refs/heads/tip', tip.id);
      git('fsck', '--strict', '--no-dangling');
      assert.deepEqual(git('rev-list', '--parents', '-1', tip.id).trim().split(' '), [tip.id, base.id]);
      assert.deepEqual(git('ls-tree', '--name-only', tip.id).trim().split('\n'), names);
      assert.equal(git('show', `${tip.id}:gone-0`), 'hello\n');
      const last = await gitCommit({ files: [], date: NEWEST });
      await writeGitObjects(dir, last.objects);
      assert.equal(git('log', '-1', '--format=%at', last.id).trim(), NEWEST);
    }));
});
