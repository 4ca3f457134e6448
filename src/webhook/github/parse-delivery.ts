import type { z } from 'zod';
import { AGENT_LABEL_PREFIX } from '../../domain/trigger.js';
import type { Hint, HintCause, ParsedDelivery } from '../hint.js';
import {
  issueCommentPayload,
  issuesPayload,
  pullRequestPayload,
  reviewCommentPayload,
  reviewPayload,
} from './payload.js';
import type { CommonPart, PullRequestPart, TriggerParts } from './payload.js';

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
const MAX_GUESSES = 5;

/** Strict UTF-8, strict JSON, the minimal shape. @param event header `X-GitHub-Event` */
export function parseGithubDelivery(event: string, rawBody: Uint8Array): ParsedDelivery {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawBody);
  } catch {
    return malformed('the body is not UTF-8');
  }
  return parseGithubDeliveryText(event, text);
}

/** The same for text: a decoded body, or the essence that the inbox keeps of one. */
export function parseGithubDeliveryText(event: string, text: string): ParsedDelivery {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return malformed("the body is not JSON: set the webhook's content type to application/json");
  }
  switch (event) {
    case '':
      return malformed('no X-GitHub-Event header: use a webhook of GitHub');
    case 'ping':
      return unwanted('a ping: the webhook reaches us');
    case 'issues':
      return shaped(issuesPayload, payload, (value) => stateHint(value, value.issue, null, value.action));
    case 'issue_comment':
      return shaped(issueCommentPayload, payload, commentHint);
    case 'pull_request':
      return shaped(pullRequestPayload, payload, (value) =>
        value.action === 'synchronize'
          ? hint(value, value.pull_request, value.pull_request, { kind: 'push' })
          : stateHint(value, value.pull_request, value.pull_request, value.action),
      );
    case 'pull_request_review':
      return shaped(reviewPayload, payload, reviewHint);
    case 'pull_request_review_comment':
      return shaped(reviewCommentPayload, payload, reviewCommentHint);
    default:
      return unwanted(`nothing depends on events of type ${event.slice(0, 60)}`);
  }
}

type Judged =
  { readonly kind: 'hint'; readonly hint: Hint } | { readonly kind: 'unwanted'; readonly reason: string };

function shaped<T>(schema: z.ZodType<T>, payload: unknown, use: (value: T) => Judged): ParsedDelivery {
  const parsed = schema.safeParse(payload);
  if (parsed.success) {
    const result = use(parsed.data);
    return result.kind === 'hint' ? { ...result, essence: JSON.stringify(parsed.data) } : result;
  }
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined || issue.path.length === 0 ? 'the payload' : issue.path.map(String).join('.');
  return malformed(`not the shape of a GitHub event: ${where}: ${issue?.message ?? 'invalid'}`);
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
): Extract<Judged, { kind: 'hint' }> {
  const { repository, sender } = common;
  const labelled = (parts.labels ?? []).some((label) => label.name.startsWith(AGENT_LABEL_PREFIX));
  const ownHead = pull?.head.repo?.id === repository.id ? pull.head.ref : null;
  return {
    kind: 'hint',
    hint: {
      subject: {
        forge: 'github',
        owner: repository.owner.login,
        repo: repository.name,
        number: parts.number,
      },
      repoId: repository.id,
      isPull: pull !== null,
      headRef: ownHead,
      sender: { id: sender.id, login: sender.login },
      cause,
      likelyAssignees: labelled
        ? (parts.assignees ?? []).slice(0, MAX_GUESSES).map((user) => user.login)
        : [],
    },
  };
}

function unwanted(reason: string): { kind: 'unwanted'; reason: string } {
  return { kind: 'unwanted', reason };
}

function malformed(reason: string): ParsedDelivery {
  return { kind: 'malformed', reason };
}
