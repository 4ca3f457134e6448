import type { z } from 'zod';
import type { HintCause, ParsedDelivery } from '../hint.js';
import { hintOf, malformed, parsedBytes, parsedJson, shaped, unwanted } from '../parsed.js';
import type { HintFound, Judged } from '../parsed.js';
import type { CommonPart, TriggerParts } from '../payload-parts.js';
import {
  issueCommentPayload,
  issuesPayload,
  pullRequestPayload,
  reviewCommentPayload,
  reviewPayload,
} from './payload.js';
import type { PullRequestPart } from './payload.js';

/** Of issues and pull requests; texts, milestones, locks, pins and drafts decide nothing. */
const STATE_ACTIONS = new Set([
  'opened',
  'closed',
  'reopened',
  'deleted',
  'transferred',
  'labeled',
  'unlabeled',
  'assigned',
  'unassigned',
]);

/** Strict UTF-8, strict JSON, the minimal shape. @param event header `X-GitHub-Event` */
export function parseGithubDelivery(event: string, rawBody: Uint8Array): ParsedDelivery {
  return parsedBytes(rawBody, (text) => parseGithubDeliveryText(event, text));
}

/** The same for text: a decoded body, or the essence that the inbox keeps of one. */
export function parseGithubDeliveryText(event: string, text: string): ParsedDelivery {
  return parsedJson(text, (payload) => judge(event, payload));
}

function judge(event: string, payload: unknown): ParsedDelivery {
  switch (event) {
    case '':
      return malformed('no X-GitHub-Event header: use a webhook of GitHub');
    case 'ping':
      return unwanted('a ping: the webhook reaches us');
    case 'issues':
      return shaped('GitHub', issuesPayload, payload, (value) =>
        stateHint(value, value.issue, null, value.action),
      );
    case 'issue_comment':
      return shaped('GitHub', issueCommentPayload, payload, commentHint);
    case 'pull_request':
      return shaped('GitHub', pullRequestPayload, payload, (value) =>
        value.action === 'synchronize'
          ? hint(value, value.pull_request, value.pull_request, { kind: 'push' })
          : stateHint(value, value.pull_request, value.pull_request, value.action),
      );
    case 'pull_request_review':
      return shaped('GitHub', reviewPayload, payload, reviewHint);
    case 'pull_request_review_comment':
      return shaped('GitHub', reviewCommentPayload, payload, reviewCommentHint);
    default:
      return unwanted(`nothing depends on events of type ${event.slice(0, 60)}`);
  }
}

function stateHint(
  common: CommonPart,
  parts: TriggerParts,
  pull: PullRequestPart | null,
  action: string,
): Judged {
  if (!STATE_ACTIONS.has(action)) return unwanted(`nothing depends on the action ${action.slice(0, 60)}`);
  return hint(common, parts, pull, { kind: 'state' });
}

function commentHint(value: z.infer<typeof issueCommentPayload>): Judged {
  const { hint: found } = hint(value, value.issue, null, { kind: 'comment', commentId: value.comment.id });
  const isPull = value.issue.pull_request !== null && value.issue.pull_request !== undefined;
  return { kind: 'hint', hint: { ...found, isPull } };
}

function reviewHint(value: z.infer<typeof reviewPayload>): Judged {
  if (value.action === 'dismissed') return unwanted('a dismissed review asks for nothing');
  const { id, submitted_at: since } = value.review;
  return hint(value, value.pull_request, value.pull_request, {
    kind: 'review',
    reviewId: id,
    since: since ?? '',
  });
}

function reviewCommentHint(value: z.infer<typeof reviewCommentPayload>): Judged {
  if (value.action === 'deleted') return unwanted('a deleted comment on a line wakes nobody');
  const { pull_request_review_id: reviewId, updated_at: since } = value.comment;
  return hint(value, value.pull_request, value.pull_request, {
    kind: 'review',
    reviewId: reviewId ?? null,
    since: since ?? '',
  });
}

function hint(
  common: CommonPart,
  parts: TriggerParts,
  pull: PullRequestPart | null,
  cause: HintCause,
): HintFound {
  const headRef = pull?.head.repo?.id === common.repository.id ? pull.head.ref : null;
  return hintOf('github', common, parts, pull && { headRef, forkHead: null }, cause);
}
