import { z } from 'zod';
import { commitId, forgeNumber, id, name, ownerName } from './forge-values.js';

/** Accounts of the forge itself, such as that of its Actions, have negative ones. */
const user = z.object({ id: z.number().int(), login: z.string().min(1).max(255) });

const repository = z
  .object({ id, name, full_name: z.string(), owner: z.object({ login: ownerName }) })
  .refine((value) => value.full_name === `${value.owner.login}/${value.name}`, 'full_name is not owner/name');

const triggerParts = {
  number: forgeNumber,
  labels: z.array(z.object({ name: z.string() })).nullish(),
  assignees: z.array(user).nullish(),
};

const common = { action: z.string(), repository, sender: user };

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

/** One status of one commit. Its sender decides nothing; Gitea's own Actions have the id -2. */
export const statusPayload = z.object({
  repository,
  sha: commitId,
  state: z.string().max(40),
});

export type PullRequestPart = z.infer<typeof pullRequest>;
type Shape<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
export type TriggerParts = Shape<typeof triggerParts>;
export type CommonPart = Pick<Shape<typeof common>, 'repository' | 'sender'>;
export type IssuePart = z.infer<typeof issuePayload>['issue'];
