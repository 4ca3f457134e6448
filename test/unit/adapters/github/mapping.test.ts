import assert from 'node:assert/strict';
import { fromRun, fromStatus } from '../../../../src/adapters/github/checks.js';
import { toUser } from '../../../../src/adapters/forge-http/mapping.js';
import { toInlineComment, toIssue, toPullRequest } from '../../../../src/adapters/github/mapping.js';

const octocat = { id: 1, login: 'octocat' };
const issue = {
  number: 1347,
  title: 'Found a bug',
  body: null,
  state: 'open',
  labels: ['plain', { name: 'bug' }],
  assignees: null,
  user: null,
  html_url: 'https://github.com/octocat/Hello-World/issues/1347',
  locked: true,
  updated_at: '2011-04-22T13:33:48Z',
  closed_at: null,
};
const pull = {
  ...issue,
  labels: [],
  draft: true,
  merged_at: null,
  head: { ref: 'new-topic', sha: 'a'.repeat(40), repo: { id: 7 } },
  base: { ref: 'main', sha: 'b'.repeat(40), repo: { id: 7 } },
};

describe('what GitHub answers', () => {
  it('is an issue also without text, author and assignees, and with bare labels', () => {
    const read = toIssue(issue);
    assert.deepEqual(
      [read.body, read.author, read.assignees, read.labels, read.locked, read.isPull, read.ref],
      ['', { id: -1, login: 'ghost' }, [], ['plain', 'bug'], true, false, ''],
    );
    assert.equal(toIssue({ ...issue, pull_request: { url: 'x' } }).isPull, true);
  });

  it('is a pull request of a fork when the head is another repository, or one that is gone', () => {
    const foreign = (repo: unknown): boolean =>
      toPullRequest({ ...pull, head: { ...pull.head, repo } }).head.fromFork;
    assert.deepEqual([foreign({ id: 7 }), foreign({ id: 8 }), foreign(null)], [false, true, true]);
  });

  it('is merged when it has a time of merging, in a list too', () => {
    assert.equal(toPullRequest(pull).merged, false);
    assert.equal(toPullRequest({ ...pull, merged_at: '2011-01-26T19:01:12Z' }).merged, true);
  });

  it('is a comment on a line that may have gone, or on a whole file', () => {
    const at = (lines: object): number =>
      toInlineComment({
        id: 1,
        user: octocat,
        path: 'a',
        body: 'b',
        updated_at: '2011-01-26T19:01:12Z',
        ...lines,
      }).line;
    assert.deepEqual(
      [at({ line: 3, original_line: 2 }), at({ line: null, original_line: 2 }), at({ line: null })],
      [3, 2, 1],
    );
  });

  it('is a check that never looks better than it is', () => {
    const run = (status: string, conclusion: string | null): string =>
      fromRun({ name: 'n', status, conclusion, output: { title: null } }).state;
    assert.deepEqual(
      [
        'success',
        'failure',
        'neutral',
        'cancelled',
        'skipped',
        'timed_out',
        'action_required',
        'stale',
        null,
      ].map((conclusion) => run('completed', conclusion)),
      ['success', 'failure', 'warning', 'error', 'skipped', 'error', 'pending', 'pending', 'pending'],
    );
    assert.deepEqual([run('in_progress', null), run('queued', 'success')], ['pending', 'pending']);
    assert.equal(fromStatus({ context: 'c', state: 'odd', description: null }).state, 'pending');
  });

  it('is refused when it is another shape', () => {
    for (const wrong of ['<html>', null, [], { ...issue, number: '1' }, { ...issue, number: 2n ** 60n }])
      assert.throws(() => toIssue(wrong), { code: 'forge_shape' });
    assert.throws(() => toUser({ id: 1.5, login: 'x' }), { code: 'forge_shape' });
    assert.deepEqual(toUser(octocat), octocat);
  });
});
