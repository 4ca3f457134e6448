import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { FORGE_KINDS } from '../../domain/forge/issue.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { Finding } from '../../domain/upkeep/reconcile.js';
import { commitId, forgeNumber, id, name, ownerName } from './forge-values.js';
import type { Hint, ParsedDelivery } from './hint.js';
import type { DistinctHeaders, SignatureVerdict } from '../verify-signature.js';

/** The event type under which the inbox keeps what the reconciler found. */
export const RECONCILED = 'reconciled';
export const RECONCILED_PATH = '/reconciled';
const SIGNATURE_HEADER = 'x-bot-bottle-signature';

const cause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('state') }),
  z.object({ kind: z.literal('comment'), commentId: forgeNumber }),
  z.object({ kind: z.literal('review'), reviewId: forgeNumber }),
  z.object({ kind: z.literal('push') }),
  z.object({ kind: z.literal('checks'), sha: commitId }),
]);

/**
 * What the reconciler posts: what it saw, never who acted. `seen` says what was seen in a few words (state, times,
 * hashes), so that the same body comes again only when nothing has changed, and is known as a duplicate then.
 */
const finding: z.ZodType<Finding> = z.object({
  forge: z.enum(FORGE_KINDS),
  owner: ownerName,
  repo: name,
  repoId: id,
  number: forgeNumber,
  isPull: z.boolean(),
  headRef: z.string().max(255).nullable(),
  cause,
  seen: z.string().max(4096),
});

/** The body to post for a finding. */
export function findingBody(found: Finding): string {
  return JSON.stringify(found);
}

/** Header that signs a body. The prefix keeps a forge's signed delivery from being passed off as a finding. */
export function findingHeaders(secret: string, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: digestOf(secret, Buffer.from(body)).toString('hex'),
  };
}

/** Errors: `InvalidInputError` for an empty secret. */
export function verifyFinding(
  secret: string,
  rawBody: Uint8Array,
  headers: DistinctHeaders,
): SignatureVerdict {
  if (secret === '') throw new InvalidInputError('the webhook secret is empty');
  const [claim, second] = headers[SIGNATURE_HEADER] ?? [];
  if (claim === undefined || second !== undefined) return { ok: false, reason: 'one signature is needed' };
  if (!/^[0-9a-f]{64}$/.test(claim))
    return { ok: false, reason: `${SIGNATURE_HEADER} is not a hex SHA-256 digest` };
  return timingSafeEqual(Buffer.from(claim, 'hex'), digestOf(secret, rawBody))
    ? { ok: true }
    : { ok: false, reason: 'wrong signature' };
}

export function parseReconciled(text: string): ParsedDelivery {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed', reason: 'not JSON' };
  }
  const parsed = finding.safeParse(value);
  if (!parsed.success) return { kind: 'malformed', reason: 'not a finding of the reconciler' };
  return { kind: 'hint', hint: hintOf(parsed.data) };
}

function hintOf(found: Finding): Hint {
  const { forge, owner, repo, repoId, number, isPull, headRef } = found;
  return {
    subject: { forge, owner, repo, number },
    repoId,
    isPull,
    headRef,
    forkHead: null,
    sender: null,
    cause: found.cause.kind === 'review' ? { ...found.cause, since: '' } : found.cause,
    likelyAssignees: [],
  };
}

function digestOf(secret: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update('bot-bottle-finding\n').update(body).digest();
}
