import type { z } from 'zod';
import type { Hint, HintCause, ParsedDelivery } from './hint.js';
import { hintOf, malformed, parsedBytes, parsedJson, shaped, unwanted } from './parsed.js';
import type { HintFound, Judged } from './parsed.js';
import { commentPayload, issuePayload, pullRequestPayload } from './payload.js';
import type { IssuePart, PullRequestPart } from './payload.js';
import type { CommonPart, TriggerParts } from './payload-parts.js';

const ISSUE_EVENTS = new Set(['issues', 'issue_assign', 'issue_label']);
const PULL_EVENTS = new Set(['pull_request', 'pull_request_assign', 'pull_request_label']);
const COMMENT_EVENTS = new Set(['issue_comment', 'pull_request_comment']);
const REVIEW_EVENTS = new Set([
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
]);
/** Texts and milestones decide nothing. */
const IDLE_ACTIONS = new Set(['edited', 'milestoned', 'demilestoned']);

/** Strict UTF-8, strict JSON, the minimal shape. @param eventType header `X-Gitea-Event-Type`, which tells kinds apart. */
export function parseDelivery(eventType: string, rawBody: Uint8Array): ParsedDelivery {
  return parsedBytes(rawBody, (text) => parseDeliveryText(eventType, text));
}

/** The same for text: a decoded body, or the essence that the inbox keeps of one. */
export function parseDeliveryText(eventType: string, text: string): ParsedDelivery {
  return parsedJson(text, (payload) => judge(eventType, payload));
}

function judge(eventType: string, payload: unknown): ParsedDelivery {
  if (eventType === '')
    return malformed('no X-Gitea-Event-Type header: use a webhook of type Gitea or Forgejo');
  if (ISSUE_EVENTS.has(eventType))
    return shaped('Gitea', issuePayload, payload, (value) =>
      stateHint(value, value.issue, null, value.action),
    );
  if (COMMENT_EVENTS.has(eventType)) return shaped('Gitea', commentPayload, payload, commentHint);
  if (PULL_EVENTS.has(eventType)) {
    return shaped('Gitea', pullRequestPayload, payload, (value) =>
      stateHint(value, value.pull_request, value.pull_request, value.action),
    );
  }
  if (eventType === 'pull_request_sync') {
    return shaped('Gitea', pullRequestPayload, payload, (value) =>
      hint(value, value.pull_request, value.pull_request, { kind: 'push' }),
    );
  }
  if (REVIEW_EVENTS.has(eventType)) {
    return shaped('Gitea', pullRequestPayload, payload, (value) =>
      hint(value, value.pull_request, value.pull_request, {
        kind: 'review',
        reviewId: null,
        since: value.pull_request.updated_at ?? '',
      }),
    );
  }
  return unwanted(`nothing depends on events of type ${eventType.slice(0, 60)}`);
}

function stateHint(
  common: CommonPart,
  parts: IssuePart,
  pull: PullRequestPart | null,
  action: string,
): Judged {
  if (IDLE_ACTIONS.has(action)) return unwanted(`nothing depends on the action ${action}`);
  const found = hint(common, parts, pull, { kind: 'state' });
  return { ...found, hint: { ...found.hint, ...textVersion(common, parts) } };
}

function textVersion(
  { sender }: CommonPart,
  { content_version: version, updated_at: touched }: IssuePart,
): Pick<Hint, 'textVersion'> {
  const at = Date.parse(touched ?? '');
  if (typeof version !== 'number' || Number.isNaN(at)) return {};
  return { textVersion: { actorId: sender.id, at, version } };
}

function commentHint(value: z.infer<typeof commentPayload>): Judged {
  const pull = value.is_pull ? (value.pull_request ?? null) : null;
  const parsed = hint(value, value.issue, pull, { kind: 'comment', commentId: value.comment.id });
  return { kind: 'hint', hint: { ...parsed.hint, isPull: value.is_pull } };
}

function hint(
  common: CommonPart,
  parts: TriggerParts,
  pull: PullRequestPart | null,
  cause: HintCause,
): HintFound {
  return hintOf('gitea', common, parts, pull && headOf(pull, common.repository.id), cause);
}

function headOf({ head }: PullRequestPart, repoId: number): Pick<Hint, 'headRef' | 'forkHead'> {
  if (head === null || head === undefined) return { headRef: null, forkHead: null };
  if (head.repo_id === repoId) return { headRef: head.ref, forkHead: null };
  const ownerId = head.repo?.owner.id;
  return { headRef: null, forkHead: ownerId === undefined ? null : { ref: head.ref, ownerId } };
}
