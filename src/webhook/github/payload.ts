import { z } from 'zod';
import { common, id as anyId, triggerParts } from '../payload-parts.js';

const id = anyId.positive();

/** `repo` is null when the fork is gone. */
const pullRequest = z.object({
  ...triggerParts,
  head: z.object({ ref: z.string(), repo: z.object({ id }).nullish() }),
});

/** The few fields of GitHub's payloads (docs.github.com, "Webhook events and payloads") that say what one is about. */
export const issuesPayload = z.object({ ...common, issue: z.object(triggerParts) });

/** On a pull request the issue has a `pull_request`; its branches are not in there. */
export const issueCommentPayload = z.object({
  ...common,
  issue: z.object({ ...triggerParts, pull_request: z.object({}).nullish() }),
  comment: z.object({ id }),
});

export const pullRequestPayload = z.object({ ...common, pull_request: pullRequest });

export const reviewPayload = z.object({
  ...common,
  pull_request: pullRequest,
  review: z.object({ id, submitted_at: z.string().nullish() }),
});

/** Every comment on a line belongs to a review, be it one of its own. */
export const reviewCommentPayload = z.object({
  ...common,
  pull_request: pullRequest,
  comment: z.object({ id, pull_request_review_id: id.nullish(), updated_at: z.string().nullish() }),
});

export type PullRequestPart = z.infer<typeof pullRequest>;
