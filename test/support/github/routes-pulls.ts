import { isReply, issueOf, mayWrite, NOT_FOUND, paged, refusal, repoOf } from './exchange.js';
import type { Exchange, Reply, Route } from './exchange.js';
import { renderReview, renderReviewComment } from './render-activity.js';
import { fullName, renderPull } from './render.js';
import type { Issue, Pull } from './state.js';
import type { WirePull } from './wire-types.js';

type PullIssue = Issue & { readonly pull: Pull };

function pullOf(exchange: Exchange): PullIssue | Reply {
  const issue = issueOf(exchange);
  if (isReply(issue)) return issue;
  return isPull(issue) ? issue : NOT_FOUND;
}

function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

/** Pull requests, their reviews and reviewers. */
export const PULL_ROUTES: readonly Route[] = [
  [
    'GET',
    '/repos/:owner/:repo/pulls',
    (exchange) => {
      const repo = repoOf(exchange);
      if (repo === undefined) return NOT_FOUND;
      const state = exchange.query.get('state') ?? 'open';
      const head = exchange.query.get('head');
      const found = exchange.state.issues
        .filter(isPull)
        .filter((issue) => issue.repo === repo)
        .filter((issue) => state === 'all' || (state === 'open') === (issue.closedAt === null))
        .filter(({ pull }) => head === null || head === `${pull.headRepo.owner.login}:${pull.headRef}`)
        .reverse();
      return paged(
        exchange,
        found.map((issue) => renderPull(exchange.origin, issue, issue.pull)),
      );
    },
  ],
  ['POST', '/repos/:owner/:repo/pulls', createPull],
  [
    'GET',
    '/repos/:owner/:repo/pulls/:number',
    (exchange) => {
      const issue = pullOf(exchange);
      if (isReply(issue)) return issue;
      if (exchange.accept.includes('.diff'))
        return { status: 200, text: diffOf(exchange, issue.pull), headers: { 'content-type': DIFF_TYPE } };
      const json: WirePull = {
        ...renderPull(exchange.origin, issue, issue.pull),
        merged: issue.pull.mergedAt !== null,
        mergeable: true,
        comments: 0,
        changed_files: 1,
      };
      return { status: 200, json };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/pulls/:number/reviews',
    (exchange) => {
      const issue = pullOf(exchange);
      if (isReply(issue)) return issue;
      const reviews = exchange.state.reviews.filter((review) => review.issue === issue);
      return paged(
        exchange,
        reviews.map((review) => renderReview(exchange.origin, review)),
      );
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/pulls/:number/comments',
    (exchange) => {
      const issue = pullOf(exchange);
      if (isReply(issue)) return issue;
      const comments = exchange.state.reviewComments.filter((comment) => comment.review.issue === issue);
      return paged(
        exchange,
        comments.map((comment) => renderReviewComment(exchange.origin, comment)),
      );
    },
  ],
  [
    'POST',
    '/repos/:owner/:repo/pulls/:number/requested_reviewers',
    (exchange) => {
      const issue = pullOf(exchange);
      if (isReply(issue)) return issue;
      const logins = Array.isArray(exchange.body['reviewers']) ? exchange.body['reviewers'] : [];
      for (const login of logins) {
        const user = exchange.state.users.find((item) => item.login === login);
        if (user === undefined || !issue.repo.roles.has(user))
          return refusal(
            422,
            `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${fullName(issue.repo)} repository.`,
          );
        if (user === issue.author)
          return refusal(422, 'Review cannot be requested from pull request author.');
        issue.pull.requested.add(user);
      }
      return { status: 201, json: renderPull(exchange.origin, issue, issue.pull) };
    },
  ],
];

const DIFF_TYPE = 'application/vnd.github.v3.diff; charset=utf-8';

function createPull(exchange: Exchange): Reply {
  const { state, asker, body } = exchange;
  const repo = repoOf(exchange);
  if (repo === undefined) return NOT_FOUND;
  if (!mayWrite(repo, asker)) return refusal(403, 'Resource not accessible by personal access token');
  const { title, head, base, draft } = body;
  const invalid = (field: string): Reply =>
    refusal(422, 'Validation Failed', [{ resource: 'PullRequest', field, code: 'invalid' }]);
  if (typeof title !== 'string' || title === '') return invalid('title');
  const headRef = String(head).split(':').at(-1) ?? '';
  const [headSha, baseSha] = [repo.branches.get(headRef), repo.branches.get(String(base))];
  if (headSha === undefined) return invalid('head');
  if (baseSha === undefined) return invalid('base');
  if (draft === true && repo.isPrivate)
    return refusal(422, 'Draft pull requests are not supported in this repository.');
  const there = state.issues.find(
    (issue) => issue.pull?.headRef === headRef && issue.pull.headRepo === repo && issue.closedAt === null,
  );
  if (there !== undefined) {
    const message = `A pull request already exists for ${repo.owner.login}:${headRef}.`;
    return refusal(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
  }
  const pull: Pull = {
    headRepo: repo,
    headRef,
    headSha,
    baseRef: String(base),
    baseSha,
    requested: new Set(),
    draft: draft === true,
    mergedAt: null,
  };
  const text = { title, body: typeof body['body'] === 'string' ? body['body'] : '' };
  const issue = state.addIssue(repo, asker, text, pull);
  return { status: 201, json: renderPull(exchange.origin, issue, pull) };
}

function diffOf({ state }: Exchange, pull: Pull): string {
  const file = state.commits.get(pull.headSha);
  if (file === undefined) return '';
  const lines = file.content.replace(/\n$/, '').split('\n');
  return [
    `diff --git a/${file.path} b/${file.path}`,
    'new file mode 100644',
    '--- /dev/null',
    `+++ b/${file.path}`,
    `@@ -0,0 +1,${String(lines.length)} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
}
