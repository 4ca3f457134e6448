/** What src/webhook/events reads of deliveries, beside the structs that they are made of. */
import type { z } from 'zod';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';
import {
  commentPayload,
  issuePayload,
  pullRequestPayload,
  statusPayload,
} from '../../../src/webhook/events/payload.js';
import { constantsOf, fieldsOf, jsonTypeOf, type GoSource } from './go-source.js';

const ISSUE = [issuePayload, 'IssuePayload'] as const;
const COMMENT = [commentPayload, 'IssueCommentPayload'] as const;
const PULL = [pullRequestPayload, 'PullRequestPayload'] as const;

/** By event type: the schema, and the struct in modules/structs/hook.go. */
export const HANDLED: Readonly<Record<string, readonly [z.ZodType, string]>> = {
  issues: ISSUE,
  issue_assign: ISSUE,
  issue_label: ISSUE,
  issue_comment: COMMENT,
  pull_request_comment: COMMENT,
  pull_request: PULL,
  pull_request_assign: PULL,
  pull_request_label: PULL,
  pull_request_sync: PULL,
  pull_request_review_approved: PULL,
  pull_request_review_rejected: PULL,
  pull_request_review_comment: PULL,
  status: [statusPayload, 'CommitStatusPayload'],
};

/** Whether something depends on that type of event. */
export function isHandled(eventType: string): boolean {
  return parseDelivery(eventType, Buffer.from('{}')).kind === 'malformed';
}

export function eventTypesOf(source: GoSource): string[] {
  return constantsOf(source, 'HookEventType');
}

/** Paths of what the schema reads and the struct, or one that it names, does not have, or has as another type. */
export function unreadable(source: GoSource, schema: z.ZodType, struct: string, path = struct): string[] {
  const { def } = bare(schema) as unknown as { def: { type: string; shape: Record<string, z.ZodType> } };
  const fields = fieldsOf(source, struct);
  if (fields === undefined) return [`${path}: no struct ${struct}`];
  return Object.entries(def.shape).flatMap(([key, inner]) => {
    const here = `${path}.${key}`;
    const field = fields.get(key);
    if (field === undefined) return [here];
    const isList = bare(inner).def.type === 'array';
    const item = isList ? bare((bare(inner) as z.ZodArray).element as z.ZodType) : bare(inner);
    const type = jsonTypeOf(source, field.type);
    if (field.isList !== isList || item.def.type !== type) return [`${here} is ${type}`];
    return type === 'object' ? unreadable(source, item, field.type, here) : [];
  });
}

/** Without what says that it may be absent. */
function bare(schema: z.ZodType): z.ZodType {
  const { def } = schema as unknown as { def: { innerType?: z.ZodType } };
  return def.innerType === undefined ? schema : bare(def.innerType);
}
