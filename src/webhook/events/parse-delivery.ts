import type { z } from 'zod';
import { AGENT_LABEL_PREFIX } from '../../domain/forge/trigger.js';
import type { Hint, ParsedDelivery } from './hint.js';
import { commentPayload, issuePayload, pullRequestPayload, statusPayload } from './payload.js';
import type { CommonPart, IssuePart, PullRequestPart, TriggerParts } from './payload.js';

/** What a payload of the right shape comes to. */
type Judged = Exclude<ParsedDelivery, { kind: 'malformed' }>;
type HintFound = Extract<ParsedDelivery, { kind: 'hint' }>;

const MAX_GUESSES = 5;
const ISSUE_EVENTS = new Set(['issues', 'issue_assign', 'issue_label']);
const PULL_EVENTS = new Set(['pull_request', 'pull_request_assign', 'pull_request_label']);
const COMMENT_EVENTS = new Set(['issue_comment', 'pull_request_comment']);
const REVIEW_EVENTS = new Set([
  'pull_request_review_approved',
  'pull_request_review_rejected',
  'pull_request_review_comment',
]);
const BAD_STATES = new Set(['failure', 'error']);

/** Strict UTF-8, strict JSON, the minimal shape. @param eventType header `X-Gitea-Event-Type`, which tells kinds apart. */
export function parseDelivery(eventType: string, rawBody: Uint8Array): ParsedDelivery {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawBody);
  } catch {
    return malformed('the body is not UTF-8');
  }
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return malformed("the body is not JSON: set the webhook's content type to application/json");
  }
  return judge(eventType, payload);
}

function judge(eventType: string, payload: unknown): ParsedDelivery {
  if (eventType === '')
    return malformed('no X-Gitea-Event-Type header: use a webhook of type Gitea or Forgejo');
  if (ISSUE_EVENTS.has(eventType))
    return shaped(issuePayload, payload, (value) => stateHint(value, value.issue, null, value.action));
  if (COMMENT_EVENTS.has(eventType)) return shaped(commentPayload, payload, commentHint);
  if (PULL_EVENTS.has(eventType)) {
    return shaped(pullRequestPayload, payload, (value) =>
      stateHint(value, value.pull_request, value.pull_request, value.action),
    );
  }
  if (eventType === 'pull_request_sync') {
    return shaped(pullRequestPayload, payload, (value) =>
      hint(value, value.pull_request, value.pull_request, { kind: 'push' }),
    );
  }
  if (REVIEW_EVENTS.has(eventType)) {
    return shaped(pullRequestPayload, payload, (value) =>
      hint(value, value.pull_request, value.pull_request, {
        kind: 'review',
        reviewId: null,
        since: value.pull_request.updated_at ?? '',
      }),
    );
  }
  if (eventType === 'status') return shaped(statusPayload, payload, statusHint);
  return unwanted(`nothing depends on events of type ${eventType.slice(0, 60)}`);
}

/** The minimal shape. */
function shaped<T>(schema: z.ZodType<T>, payload: unknown, use: (value: T) => Judged): ParsedDelivery {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return use(parsed.data);
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined || issue.path.length === 0 ? 'the payload' : issue.path.map(String).join('.');
  return malformed(`not the shape of a Gitea event: ${where}: ${issue?.message ?? 'invalid'}`);
}

function stateHint(
  common: CommonPart,
  parts: IssuePart,
  pull: PullRequestPart | null,
  action: string,
): Judged {
  if (action === 'edited') return unwanted('nothing depends on the action edited');
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

/** Of the many statuses that a commit gets only the bad ones say that there is something to look at. */
function statusHint(value: z.infer<typeof statusPayload>): Judged {
  const { sha, state, repository } = value;
  if (!BAD_STATES.has(state)) return unwanted('nothing depends on a status that is not a failure');
  return {
    kind: 'hint',
    hint: {
      subject: { forge: 'gitea', owner: repository.owner.login, repo: repository.name, number: 0 },
      repoId: repository.id,
      isPull: false,
      headRef: null,
      forkHead: null,
      sender: null,
      cause: { kind: 'checks', sha },
      likelyAssignees: [],
    },
  };
}

/** @param pull `null` for an issue */
function hint(
  { repository, sender }: CommonPart,
  parts: TriggerParts,
  pull: PullRequestPart | null,
  cause: Hint['cause'],
): HintFound {
  const labelled = (parts.labels ?? []).some((label) => label.name.startsWith(AGENT_LABEL_PREFIX));
  const head = pull && headOf(pull, repository.id);
  return {
    kind: 'hint',
    hint: {
      subject: { forge: 'gitea', owner: repository.owner.login, repo: repository.name, number: parts.number },
      repoId: repository.id,
      isPull: pull !== null,
      headRef: head?.headRef ?? null,
      forkHead: head?.forkHead ?? null,
      sender: { id: sender.id, login: sender.login },
      cause,
      likelyAssignees: labelled
        ? (parts.assignees ?? []).slice(0, MAX_GUESSES).map((user) => user.login)
        : [],
    },
  };
}

function headOf({ head }: PullRequestPart, repoId: number): Pick<Hint, 'headRef' | 'forkHead'> {
  if (head === null || head === undefined) return { headRef: null, forkHead: null };
  if (head.repo_id === repoId) return { headRef: head.ref, forkHead: null };
  const ownerId = head.repo?.owner.id;
  return { headRef: null, forkHead: ownerId === undefined ? null : { ref: head.ref, ownerId } };
}

function unwanted(reason: string): Extract<Judged, { kind: 'unwanted' }> {
  return { kind: 'unwanted', reason };
}

function malformed(reason: string): ParsedDelivery {
  return { kind: 'malformed', reason };
}
