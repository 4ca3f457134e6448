/** Payloads in the shape GitHub documents, with a little of what is not read of them. */

export const octocat = { id: 1, login: 'octocat', node_id: 'MDQ6VXNlcjE=', type: 'User', site_admin: false };

export const repository = {
  id: 1296269,
  node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
  name: 'Hello-World',
  full_name: 'octocat/Hello-World',
  private: false,
  owner: octocat,
  html_url: 'https://github.com/octocat/Hello-World',
};

interface Parts {
  readonly number?: number;
  readonly labels?: readonly string[];
  readonly assignees?: readonly object[];
}

function issue({ number = 1347, labels = [], assignees = [] }: Parts) {
  return {
    id: 1,
    number,
    title: 'Make it faster',
    body: 'please',
    user: octocat,
    state: 'open',
    labels: labels.map((name, index) => ({ id: index + 1, name, color: 'f29513', default: false })),
    assignees,
  };
}

export function issuesEvent({ action = 'opened', ...parts }: Parts & { readonly action?: string } = {}) {
  return { action, issue: issue(parts), repository, sender: octocat };
}

export function issueCommentEvent(
  of: Parts & { readonly action?: string; readonly onPull?: boolean; readonly commentId?: number } = {},
) {
  const { action = 'created', onPull = false, commentId = 99, ...parts } = of;
  const pull = { pull_request: { url: 'https://api.github.com/repos/octocat/Hello-World/pulls/1347' } };
  return {
    action,
    issue: { ...issue(parts), ...(onPull ? pull : {}) },
    comment: { id: commentId, body: 'secret words', user: octocat },
    repository,
    sender: octocat,
  };
}

interface PullParts extends Parts {
  readonly action?: string;
  readonly headRef?: string;
  /** `null`: the fork is gone. */
  readonly headRepoId?: number | null;
}

export function pullRequestEvent(of: PullParts = {}) {
  const { action = 'opened', headRef = 'new-topic', headRepoId = repository.id, number = 31, ...parts } = of;
  const repo = headRepoId === null ? null : { id: headRepoId, full_name: 'somebody/Hello-World' };
  const pull = {
    ...issue({ number, ...parts }),
    head: { label: `octocat:${headRef}`, ref: headRef, sha: 'a'.repeat(40), repo },
    base: { label: 'octocat:main', ref: 'main', sha: 'b'.repeat(40), repo: { id: repository.id } },
  };
  return { action, number, pull_request: pull, repository, sender: octocat };
}

export function reviewEvent(of: PullParts = {}) {
  const { number: _, ...event } = pullRequestEvent({ action: 'submitted', ...of });
  const review = {
    id: 80,
    state: 'changes_requested',
    body: 'secret words',
    submitted_at: '2026-01-01T10:00:00Z',
  };
  return { ...event, review };
}

export function reviewCommentEvent(of: PullParts & { readonly reviewId?: number | null } = {}) {
  const { reviewId = 80, ...rest } = of;
  const { number: _, ...event } = pullRequestEvent({ action: 'created', ...rest });
  const comment = {
    id: 10,
    pull_request_review_id: reviewId,
    body: 'secret words',
    updated_at: '2026-01-01T10:00:00Z',
  };
  return { ...event, comment };
}

export function pingEvent() {
  return { zen: 'Keep it logically awesome.', hook_id: 30, hook: { type: 'Repository', id: 30 }, repository };
}
