import { z } from 'zod';
import { common, forgeNumber, id, triggerParts } from './payload-parts.js';

/** Which text of the subject the sender had before him. */
const textParts = {
  content_version: z.number().int().nonnegative().nullish(),
  updated_at: z.string().nullish(),
};

const pullRequest = z.object({
  ...triggerParts,
  ...textParts,
  head: z
    .object({
      ref: z.string(),
      sha: z.string(),
      repo_id: z.number().int(),
      /** `null` when the fork is gone. */
      repo: z.object({ owner: z.object({ id }) }).nullish(),
    })
    .nullish(),
});

/** The few fields of Gitea's payloads (modules/structs/hook.go) that say what a delivery is about. */
export const issuePayload = z.object({ ...common, issue: z.object({ ...triggerParts, ...textParts }) });

export const commentPayload = z.object({
  ...common,
  issue: z.object(triggerParts),
  comment: z.object({ id: id.positive() }),
  is_pull: z.boolean(),
  pull_request: pullRequest.nullish(),
});

export const pullRequestPayload = z.object({ ...common, number: forgeNumber, pull_request: pullRequest });

export type PullRequestPart = z.infer<typeof pullRequest>;
export type IssuePart = z.infer<typeof issuePayload>['issue'];
