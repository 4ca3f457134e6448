/** A hint as the inbox keeps it. */
import { z } from 'zod';
import { FORGE_KINDS } from '../../domain/forge/issue.js';
import { commitId, forgeNumber, id, name, ownerName } from './forge-values.js';
import type { Hint } from './hint.js';

const hint: z.ZodType<Hint> = z.strictObject({
  /** Of a commit alone the number is 0. */
  subject: z.strictObject({
    forge: z.enum(FORGE_KINDS),
    owner: ownerName,
    repo: name,
    number: z.literal(0).or(forgeNumber),
  }),
  repoId: id,
  isPull: z.boolean(),
  headRef: z.string().nullable(),
  forkHead: z.strictObject({ ref: z.string(), ownerId: id }).nullable(),
  sender: z.strictObject({ id: z.int(), login: z.string() }).nullable(),
  cause: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('state') }),
    z.strictObject({ kind: z.literal('comment'), commentId: forgeNumber }),
    z.strictObject({ kind: z.literal('review'), reviewId: forgeNumber.nullable(), since: z.string() }),
    z.strictObject({ kind: z.literal('push') }),
    z.strictObject({ kind: z.literal('checks'), sha: commitId }),
  ]),
  likelyAssignees: z.array(z.string()),
  textVersion: z.strictObject({ actorId: z.int(), at: z.number(), version: id }).optional(),
});

/** No titles and no texts are in it. */
export function storedHint(found: Hint): string {
  return JSON.stringify(found);
}

/** `undefined` for what `storedHint` has not written. */
export function readStoredHint(text: string): Hint | undefined {
  try {
    return hint.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
