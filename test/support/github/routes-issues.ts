import { isReply, issueOf, mayWrite, NOT_FOUND, paged, refusal, repoOf } from './exchange.js';
import type { Route } from './exchange.js';
import { renderEvent, renderReference } from './render-activity.js';
import { nodeId, renderComment, renderIssue, renderUser } from './render.js';
import { now } from './state.js';
import type { WireReaction } from './wire-types.js';

const CONTENTS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

/** Issues, their comments, events and reactions. */
export const ISSUE_ROUTES: readonly Route[] = [
  [
    'GET',
    '/repos/:owner/:repo/issues/:number',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const comments = exchange.state.comments.filter((comment) => comment.issue === issue).length;
      return { status: 200, json: renderIssue(exchange.origin, issue, comments) };
    },
  ],
  [
    'PATCH',
    '/repos/:owner/:repo/issues/:number',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      if (!mayWrite(issue.repo, exchange.asker) && issue.author !== exchange.asker)
        return refusal(403, 'Must have admin rights to Repository.');
      if (typeof exchange.body['body'] === 'string') issue.body = exchange.body['body'];
      issue.updatedAt = now();
      return { status: 200, json: renderIssue(exchange.origin, issue, 0) };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/issues/:number/comments',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const comments = exchange.state.comments.filter((comment) => comment.issue === issue);
      return paged(
        exchange,
        comments.map((comment) => renderComment(exchange.origin, comment)),
      );
    },
  ],
  [
    'POST',
    '/repos/:owner/:repo/issues/:number/comments',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const { body } = exchange.body;
      if (typeof body !== 'string' || body === '')
        return refusal(422, 'Validation Failed', [
          { resource: 'IssueComment', field: 'body', code: 'missing_field' },
        ]);
      const comment = exchange.state.addComment(issue, exchange.asker, body);
      return { status: 201, json: renderComment(exchange.origin, comment) };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/issues/comments/:id',
    (exchange) => {
      const repo = repoOf(exchange);
      const id = Number(exchange.params['id']);
      const comment = exchange.state.comments.find((item) => item.id === id && item.issue.repo === repo);
      return comment === undefined
        ? NOT_FOUND
        : { status: 200, json: renderComment(exchange.origin, comment) };
    },
  ],
  [
    'DELETE',
    '/repos/:owner/:repo/issues/comments/:id',
    (exchange) => {
      const { state, asker, params } = exchange;
      const index = state.comments.findIndex((item) => item.id === Number(params['id']));
      if (index === -1) return NOT_FOUND;
      if (state.comments[index]?.author !== asker)
        return refusal(403, 'Must have admin rights to Repository.');
      state.comments.splice(index, 1);
      return { status: 204 };
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/issues/:number/events',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const events = exchange.state.events.filter((event) => event.issue === issue);
      return paged(
        exchange,
        events.map((event) => renderEvent(exchange.origin, event)),
      );
    },
  ],
  [
    'GET',
    '/repos/:owner/:repo/issues/:number/timeline',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const { state, origin } = exchange;
      const name = new RegExp(`(?:^|\\s)#${String(issue.number)}\\b`);
      const naming = state.issues.filter(
        (other) =>
          other !== issue &&
          (other.pull?.headRepo ?? other.repo).name === issue.repo.name &&
          name.test(other.body),
      );
      // What the timeline has besides, events and comments, stands for what a reader must pass over.
      return paged(exchange, [
        ...state.events.filter((event) => event.issue === issue).map((event) => renderEvent(origin, event)),
        ...state.comments
          .filter((comment) => comment.issue === issue)
          .map((comment) => ({ event: 'commented', ...renderComment(origin, comment) })),
        ...naming.map((from) => renderReference(origin, from)),
      ]);
    },
  ],
  [
    'POST',
    '/repos/:owner/:repo/issues/:number/reactions',
    (exchange) => {
      const issue = issueOf(exchange);
      if (isReply(issue)) return issue;
      const { state, asker, origin } = exchange;
      const content = CONTENTS.find((known) => known === exchange.body['content']);
      if (content === undefined) return refusal(422, 'Validation Failed');
      const there = state.reactions.find(
        (item) => item.issue === issue && item.user === asker && item.content === content,
      );
      const reaction = there ?? { id: state.id(), issue, user: asker, content };
      if (there === undefined) state.reactions.push(reaction);
      const json: WireReaction = {
        id: reaction.id,
        node_id: nodeId('REA', reaction.id),
        user: renderUser(origin, asker),
        content,
        created_at: now(),
      };
      return { status: there === undefined ? 201 : 200, json };
    },
  ],
];
