import { z } from 'zod';
import { isForgeName, isForgeNumber } from '../domain/issue.js';

/** What Gitea's and GitHub's payloads have in common. */
export const forgeNumber = z.number().refine(isForgeNumber, 'not a possible number');
export const id = z.number().int().nonnegative();
const user = z.object({ id, login: z.string().min(1).max(255) });
const name = z.string().refine(isForgeName, 'not a possible name');

const repository = z
  .object({ id, name, full_name: z.string(), owner: z.object({ login: name }) })
  .refine((value) => value.full_name === `${value.owner.login}/${value.name}`, 'full_name is not owner/name');

export const triggerParts = {
  number: forgeNumber,
  labels: z.array(z.object({ name: z.string() })).nullish(),
  assignees: z.array(user).nullish(),
};

export const common = { action: z.string(), repository, sender: user };

type Shape<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
export type TriggerParts = Shape<typeof triggerParts>;
export type CommonPart = Pick<Shape<typeof common>, 'repository' | 'sender'>;
