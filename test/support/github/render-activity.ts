import { fullName, nodeId, renderIssue, renderUser } from './render.js';
import type * as state from './state.js';
import type * as wire from './wire-types.js';

type AnyEvent = wire.WireEvent | wire.WireLabelEvent | wire.WireAssignEvent;

/**
 * As the issue events really come: of an assignment `actor` is the one who was assigned, and only `assigner` the one
 * who did it.
 */
export function renderEvent(origin: string, event: state.Event): AnyEvent {
  const by = event.by === null ? null : renderUser(origin, event.by);
  const base = {
    id: event.id,
    node_id: nodeId('EV', event.id),
    url: `${origin}/repos/${fullName(event.issue.repo)}/issues/events/${String(event.id)}`,
    actor: by,
    event: event.event,
    commit_id: null,
    commit_url: null,
    created_at: event.at,
  };
  if (event.label !== null) return { ...base, label: { name: event.label, color: '5319e7' } };
  if (event.assignee === null || by === null) return base;
  const assignee = renderUser(origin, event.assignee);
  return { ...base, actor: assignee, assignee, assigner: by };
}

/** How one issue's timeline shows that another names it. */
export function renderReference(origin: string, from: state.Issue): wire.WireCrossReference {
  return {
    event: 'cross-referenced',
    ...(from.author === null ? {} : { actor: renderUser(origin, from.author) }),
    created_at: from.createdAt,
    updated_at: from.createdAt,
    source: {
      type: 'issue',
      issue: {
        ...renderIssue(origin, from, 0),
        repository_url: `${origin}/repos/${fullName(from.repo)}`,
      },
    },
  };
}

export function renderPush(push: state.Push): wire.WireActivity {
  return {
    id: push.id,
    node_id: nodeId('PSH', push.id),
    before: push.before,
    after: push.after,
    ref: push.ref,
    timestamp: push.at,
    activity_type: /^0+$/.test(push.before) ? 'branch_creation' : 'push',
    actor: renderUser('', push.by),
  };
}

export function renderReview(origin: string, review: state.Review): wire.WireReview {
  const page = `${origin}/${fullName(review.issue.repo)}/pull/${String(review.issue.number)}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: renderUser(origin, review.author),
    body: review.body,
    state: review.state,
    html_url: `${page}#pullrequestreview-${String(review.id)}`,
    ...(review.state === 'PENDING' ? {} : { submitted_at: review.at }),
    commit_id: review.issue.pull?.headSha ?? null,
    author_association: 'NONE',
  };
}

export function renderReviewComment(origin: string, comment: state.ReviewComment): wire.WireReviewComment {
  const { review } = comment;
  const place = fullName(review.issue.repo);
  const id = String(comment.id);
  const sha = review.issue.pull?.headSha ?? '';
  return {
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    url: `${origin}/repos/${place}/pulls/comments/${id}`,
    html_url: `${origin}/${place}/pull/${String(review.issue.number)}#discussion_r${id}`,
    pull_request_review_id: review.id,
    diff_hunk: '@@ -0,0 +1,3 @@',
    path: comment.path,
    commit_id: sha,
    original_commit_id: sha,
    user: renderUser(origin, review.author),
    body: comment.body,
    created_at: review.at,
    updated_at: review.at,
    line: comment.line,
    ...(comment.originalLine === null ? {} : { original_line: comment.originalLine }),
    side: 'RIGHT',
    subject_type: comment.originalLine === null ? 'file' : 'line',
  };
}

export function renderCheckRun(origin: string, repo: state.Repo, run: state.CheckRun): wire.WireCheckRun {
  return {
    id: run.id,
    node_id: nodeId('CR', run.id),
    name: run.name,
    head_sha: run.sha,
    status: run.status,
    conclusion: run.conclusion,
    url: `${origin}/repos/${fullName(repo)}/check-runs/${String(run.id)}`,
    html_url: `${origin}/${fullName(repo)}/runs/${String(run.id)}`,
    started_at: null,
    completed_at: null,
    output: { title: run.title, summary: null, text: null },
  };
}

export function renderCommit(origin: string, repo: state.Repo, sha: string): wire.WireCommit {
  return {
    sha,
    node_id: nodeId('C', 0),
    url: `${origin}/repos/${fullName(repo)}/commits/${sha}`,
    html_url: `${origin}/${fullName(repo)}/commit/${sha}`,
  };
}

/** Base64 in lines, as GitHub breaks it. */
export function renderContent(path: string, content: string): wire.WireContent {
  const bytes = Buffer.from(content);
  return {
    type: 'file',
    encoding: 'base64',
    size: bytes.length,
    name: path.split('/').at(-1) ?? path,
    path,
    content: bytes.toString('base64').replace(/.{60}/g, '$&\n'),
  };
}
