import { z } from 'zod';
import type { QueueBody } from '../../domain/queue.js';

const at = z.int().nonnegative();
const turn = z.int().positive();
const slug = z.string().max(63);

const operationLine = z.strictObject({
  id: z.string().min(1).max(200),
  at,
  operation: z.string().max(100),
  target: z.string().max(300),
  outcome: z.enum(['ok', 'refused', 'failed']),
  text: z.string().max(8192),
});

// Strict: a field that nobody knows is a bundle that is not ours. Total length is bounded by the file's.
const schema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('done'),
    slug,
    turn,
    status: z.enum(['success', 'blocked', 'failed']),
    summary: z.string(),
    at,
  }),
  z.strictObject({ kind: z.literal('open_pr'), slug, turn, title: z.string(), body: z.string(), at }),
  z.strictObject({ kind: z.literal('operations'), slug, turn, lines: z.array(operationLine).max(5000), at }),
]) satisfies z.ZodType<QueueBody>;

/** `undefined` for bytes that are no UTF-8, no JSON, or no message. */
export function parseQueueBody(content: Uint8Array): QueueBody | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
    return schema.safeParse(value).data;
  } catch {
    return undefined;
  }
}
