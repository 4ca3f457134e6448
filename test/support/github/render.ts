import type * as state from './state.js';
import type * as wire from './wire-types.js';

export function renderUser(origin: string, user: state.User): wire.WireUser {
  const url = `${origin}/users/${user.login}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId('U', user.id),
    avatar_url: `${origin}/avatars/${String(user.id)}`,
    gravatar_id: '',
    url,
    html_url: `${origin}/${user.login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: 'User',
    site_admin: false,
  };
}

export function fullName(repo: state.Repo): string {
  return `${repo.owner.login}/${repo.name}`;
}

export function renderRepository(origin: string, repo: state.Repo, asker: state.User): wire.WireRepository {
  const role = repo.roles.get(asker);
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: fullName(repo),
    private: repo.isPrivate,
    owner: renderUser(origin, repo.owner),
    html_url: `${origin}/${fullName(repo)}`,
    fork: repo.forkOf !== null,
    url: `${origin}/repos/${fullName(repo)}`,
    clone_url: `${origin}/${fullName(repo)}.git`,
    default_branch: 'main',
    permissions: {
      admin: role === 'admin',
      maintain: role === 'admin' || role === 'maintain',
      push: role === 'admin' || role === 'maintain' || role === 'write',
      triage: role !== undefined && role !== 'read',
      pull: true,
    },
  };
}

/** What an issue and a pull request show alike. */
function common(origin: string, issue: state.Issue) {
  const assignees = [...issue.assignees].map((user) => renderUser(origin, user));
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body === '' ? null : issue.body,
    locked: false,
    user: issue.author === null ? null : renderUser(origin, issue.author),
    labels: [...issue.labels].map((name, index) => ({
      id: index + 1,
      node_id: nodeId('LA', index + 1),
      url: `${origin}/repos/${fullName(issue.repo)}/labels/${encodeURIComponent(name)}`,
      name,
      description: '',
      color: '5319e7',
      default: false,
    })),
    assignee: assignees[0] ?? null,
    assignees,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
  };
}

export function renderIssue(origin: string, issue: state.Issue, comments: number): wire.WireIssue {
  const place = `repos/${fullName(issue.repo)}`;
  const number = String(issue.number);
  const pull = `${origin}/${place}/pulls/${number}`;
  const page = `${origin}/${fullName(issue.repo)}/${issue.pull === null ? 'issues' : 'pull'}/${number}`;
  return {
    ...common(origin, issue),
    id: issue.id,
    node_id: nodeId('I', issue.id),
    url: `${origin}/${place}/issues/${number}`,
    html_url: page,
    state: issue.closedAt === null ? 'open' : 'closed',
    state_reason: issue.closedAt === null ? null : 'completed',
    comments,
    author_association: 'NONE',
    ...(issue.pull === null
      ? {}
      : {
          pull_request: {
            url: pull,
            html_url: page,
            diff_url: `${page}.diff`,
            patch_url: `${page}.patch`,
            merged_at: issue.pull.mergedAt,
          },
        }),
  };
}

export function renderPull(origin: string, issue: state.Issue, pull: state.Pull): wire.WirePullSimple {
  const page = `${origin}/${fullName(issue.repo)}/pull/${String(issue.number)}`;
  const branch = (repo: state.Repo, ref: string, sha: string): wire.WirePull['head'] => ({
    label: `${repo.owner.login}:${ref}`,
    ref,
    sha,
    user: renderUser(origin, repo.owner),
    repo: { id: repo.id, name: repo.name, full_name: fullName(repo), fork: repo.forkOf !== null },
  });
  const { user, assignees, ...shared } = common(origin, issue);
  return {
    ...shared,
    // The description of a pull request by itself leaves out that its author may be gone.
    user: user ?? renderUser(origin, { id: 10_137, login: 'ghost', token: '' }),
    assignees,
    id: issue.id,
    node_id: nodeId('PR', issue.id),
    url: `${origin}/repos/${fullName(issue.repo)}/pulls/${String(issue.number)}`,
    html_url: page,
    diff_url: `${page}.diff`,
    state: issue.closedAt === null ? 'open' : 'closed',
    draft: pull.draft,
    requested_reviewers: [...pull.requested].map((user) => renderUser(origin, user)),
    merged_at: pull.mergedAt,
    head: branch(pull.headRepo, pull.headRef, pull.headSha),
    base: branch(issue.repo, pull.baseRef, pull.baseSha),
  };
}

export function renderComment(origin: string, comment: state.Comment): wire.WireComment {
  const place = `repos/${fullName(comment.issue.repo)}/issues`;
  const id = String(comment.id);
  const page = `${origin}/${fullName(comment.issue.repo)}/issues/${String(comment.issue.number)}`;
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url: `${origin}/${place}/comments/${id}`,
    html_url: `${page}#issuecomment-${id}`,
    issue_url: `${origin}/${place}/${String(comment.issue.number)}`,
    body: comment.body,
    user: comment.author === null ? null : renderUser(origin, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: 'NONE',
  };
}

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`;
}
