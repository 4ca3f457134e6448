import { z } from 'zod';
import { isForgeName, isForgeNumber } from '../../domain/issue.js';

const forgeNumber = z.number().refine(isForgeNumber, 'not a possible number');
const id = z.number().int().positive();
const user = z.object({ id, login: z.string().min(1).max(255) });
const name = z.string().refine(isForgeName, 'not a possible name');

const repository = z
  .object({ id, name, full_name: z.string(), owner: z.object({ login: name }) })
  .refine((value) => value.full_name === `${value.owner.login}/${value.name}`, 'full_name is not owner/name');

const triggerParts = {
  number: forgeNumber,
  labels: z.array(z.object({ name: z.string() })).nullish(),
  assignees: z.array(user).nullish(),
};

/** `repo` is null when the fork is gone. */
const pullRequest = z.object({
  ...triggerParts,
  head: z.object({ ref: z.string(), repo: z.object({ id }).nullish() }),
});

const common = { action: z.string(), repository, sender: user };

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
export type TriggerParts = Pick<PullRequestPart, 'number' | 'labels' | 'assignees'>;
export type CommonPart = Pick<z.infer<typeof issuesPayload>, 'repository' | 'sender'>;
