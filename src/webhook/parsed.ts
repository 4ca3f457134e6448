import type { z } from 'zod';
import type { ForgeKind } from '../domain/issue.js';
import { AGENT_LABEL_PREFIX } from '../domain/trigger.js';
import type { Hint, HintCause, ParsedDelivery } from './hint.js';
import type { CommonPart, TriggerParts } from './payload-parts.js';

/** What a payload of the right shape comes to. */
export type Judged = HintFound | { readonly kind: 'unwanted'; readonly reason: string };

export interface HintFound {
  readonly kind: 'hint';
  readonly hint: Hint;
}

const MAX_GUESSES = 5;

/** Strict UTF-8, then the parser of the text. */
export function parsedBytes(rawBody: Uint8Array, parse: (text: string) => ParsedDelivery): ParsedDelivery {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawBody);
  } catch {
    return malformed('the body is not UTF-8');
  }
  return parse(text);
}

/** Strict JSON, then what becomes of it. */
export function parsedJson(text: string, judge: (payload: unknown) => ParsedDelivery): ParsedDelivery {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    return malformed("the body is not JSON: set the webhook's content type to application/json");
  }
  return judge(payload);
}

/** The minimal shape; what is not in it is not kept. @param sender for people: `Gitea` */
export function shaped<T>(
  sender: string,
  schema: z.ZodType<T>,
  payload: unknown,
  use: (value: T) => Judged,
): ParsedDelivery {
  const parsed = schema.safeParse(payload);
  if (parsed.success) {
    const result = use(parsed.data);
    return result.kind === 'hint' ? { ...result, essence: JSON.stringify(parsed.data) } : result;
  }
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined || issue.path.length === 0 ? 'the payload' : issue.path.map(String).join('.');
  return malformed(`not the shape of a ${sender} event: ${where}: ${issue?.message ?? 'invalid'}`);
}

/** @param pull `null` for an issue */
export function hintOf(
  forge: ForgeKind,
  { repository, sender }: CommonPart,
  parts: TriggerParts,
  pull: Pick<Hint, 'headRef' | 'forkHead'> | null,
  cause: HintCause,
): HintFound {
  const labelled = (parts.labels ?? []).some((label) => label.name.startsWith(AGENT_LABEL_PREFIX));
  return {
    kind: 'hint',
    hint: {
      subject: { forge, owner: repository.owner.login, repo: repository.name, number: parts.number },
      repoId: repository.id,
      isPull: pull !== null,
      headRef: pull?.headRef ?? null,
      forkHead: pull?.forkHead ?? null,
      sender: { id: sender.id, login: sender.login },
      cause,
      likelyAssignees: labelled
        ? (parts.assignees ?? []).slice(0, MAX_GUESSES).map((user) => user.login)
        : [],
    },
  };
}

export function unwanted(reason: string): Extract<Judged, { kind: 'unwanted' }> {
  return { kind: 'unwanted', reason };
}

export function malformed(reason: string): ParsedDelivery {
  return { kind: 'malformed', reason };
}
