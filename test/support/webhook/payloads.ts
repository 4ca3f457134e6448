/** Gitea's payloads cut down to what is read, plus some of what is not (facts of modules/structs/hook.go, 1.26). */
const repository = {
  id: 7,
  name: 'demo',
  full_name: 'alice/demo',
  owner: { id: 2, login: 'alice' },
  private: false,
};
export const alice = { id: 2, login: 'alice', email: 'alice@example.org' };

interface IssueOptions {
  readonly number?: number;
  readonly action?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly { readonly id: number; readonly login: string }[];
  readonly sender?: { readonly id: number; readonly login: string };
  /** Makes bodies distinct. */
  readonly salt?: string;
}

/** Events `issues`, `issue_assign`, `issue_label`. */
export function issueEvent(options: IssueOptions = {}): object {
  const {
    number = 12,
    action = 'label_updated',
    labels = [],
    assignees,
    sender = alice,
    salt = '',
  } = options;
  return {
    action,
    number,
    issue: {
      id: 1000 + number,
      number,
      title: `Make it faster ${salt}`,
      body: 'Please.',
      state: 'open',
      labels: labels.map((name, index) => ({ id: index, name })),
      assignees: assignees ?? null,
    },
    repository,
    sender,
  };
}

interface PullOptions extends IssueOptions {
  readonly headRef?: string;
  readonly headOwnerId?: number;
  readonly headRepoId?: number;
  readonly review?: { readonly type: string; readonly content: string };
  readonly updatedAt?: string;
}

/** Events `pull_request*`. */
export function pullEvent(options: PullOptions = {}): object {
  const { number = 31, action = 'opened', sender = alice, salt = '' } = options;
  return {
    action,
    number,
    pull_request: pullPart({ ...options, number }),
    ...(options.review === undefined ? {} : { review: options.review }),
    repository,
    sender,
    commit_id: salt,
  };
}

function pullPart(options: PullOptions): object {
  const { number = 31, headRef = 'feature', headRepoId = 7, headOwnerId: id = 1 } = options;
  const { updatedAt = '2026-01-01T10:00:00Z' } = options;
  return {
    id: 5000 + number,
    number,
    title: 'A change',
    labels: [],
    assignees: null,
    updated_at: updatedAt,
    head: { label: headRef, ref: headRef, sha: 'c0ffee', repo_id: headRepoId, repo: { owner: { id } } },
    base: { ref: 'main' },
  };
}

/** Events `issue_comment` and, with `pull`, `pull_request_comment`. */
export function commentEvent(
  options: IssueOptions & { readonly commentId?: number; readonly pull?: PullOptions } = {},
): object {
  const { number = 12, action = 'created', commentId = 77, sender = alice, salt = '', pull } = options;
  return {
    action,
    issue: {
      id: 1000 + number,
      number,
      title: 'Make it faster',
      labels: (options.labels ?? []).map((name, index) => ({ id: index, name })),
      assignees: options.assignees ?? null,
    },
    comment: { id: commentId, body: `please also ${salt}` },
    ...(pull === undefined ? {} : { pull_request: pullPart({ ...pull, number }) }),
    repository,
    sender,
    is_pull: pull !== undefined,
  };
}

/** Event `status`. */
export function statusEvent(options: { sha: string; state?: string; salt?: string }): object {
  const { sha, state = 'failure', salt = '' } = options;
  // As Gitea's own Actions send it.
  const sender = { id: -2, login: 'gitea-actions' };
  return {
    id: 1,
    context: 'ci',
    description: `words ${salt}`,
    target_url: '',
    sha,
    state,
    repository,
    sender,
  };
}
