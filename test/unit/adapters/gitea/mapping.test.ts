import assert from 'node:assert/strict';
import { toUser } from '../../../../src/adapters/gitea/mapping.js';
import { toCheck, toInlineComment, toIssue, toPullRequest } from '../../../../src/adapters/gitea/mapping.js';

const SUBJECT = {
  number: 3,
  title: 't',
  body: null,
  state: 'open',
  labels: null,
  assignees: null,
  user: { id: 1, login: 'alice' },
  html_url: 'http://f/1',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  closed_at: null,
};

function pr(head: Record<string, unknown>): ReturnType<typeof toPullRequest> {
  const base = { ref: 'main', sha: 'b', repo_id: 1, label: 'main' };
  return toPullRequest({ ...SUBJECT, base, head: { ref: 'x', sha: 'a', repo_id: 1, label: 'x', ...head } });
}

describe("the forge's JSON as the product's types", () => {
  it('reads null lists and texts as empty', () => {
    const issue = toIssue(SUBJECT);
    assert.deepEqual([issue.body, issue.labels, issue.assignees], ['', [], []]);
  });

  it('takes the branch out of a full ref', () => {
    assert.equal(toIssue({ ...SUBJECT, ref: 'refs/heads/dev/x' }).ref, 'dev/x');
    assert.equal(toIssue({ ...SUBJECT, ref: 'dev' }).ref, 'dev');
  });

  it('tells a head of this repository from a fork, a deleted fork and an AGit push', () => {
    assert.equal(pr({}).head.fromFork, false);
    assert.equal(pr({ repo_id: 2 }).head.fromFork, true);
    assert.equal(pr({ repo_id: -1 }).head.fromFork, true);
    assert.equal(pr({ label: '', ref: 'refs/pull/3/head' }).head.fromFork, true);
  });

  it('knows whose fork a head is in, and that AGit’s are in none', () => {
    const repo = { owner: { id: 9, login: 'bot' } };
    assert.deepEqual(pr({ repo_id: 2, repo }).head.forkOwner, { id: 9, login: 'bot' });
    assert.equal(pr({ repo_id: -1, repo: null }).head.forkOwner, undefined);
    assert.equal(pr({ repo }).head.forkOwner, undefined);
    assert.equal(pr({ label: '', ref: 'refs/pull/3/head', repo }).head.forkOwner, undefined);
  });

  it('knows a deleted account as the ghost', () => {
    assert.deepEqual(toUser(null), { id: -1, login: 'ghost' });
  });

  it('takes the old line of an inline comment on a removed line', () => {
    assert.equal(
      toInlineComment({
        id: 1,
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
        path: 'a',
        body: '',
        position: 0,
        original_position: 9,
      }).line,
      9,
    );
  });

  it('never reads an unknown check state as success', () => {
    assert.equal(toCheck({ status: 'splendid', context: 'c' }).state, 'pending');
  });

  it('refuses another shape with what is wrong', () => {
    assert.throws(() => toIssue({ ...SUBJECT, state: 'sleeping' }), {
      code: 'forge_shape',
      message: /state/,
    });
    assert.throws(() => toIssue([]), { code: 'forge_shape' });
    assert.throws(() => toIssue({ ...SUBJECT, number: '3' }), { code: 'forge_shape', message: /number/ });
  });
});
