import { isProposalTool, type ProposalTool } from '../../../domain/supervise/proposal.js';
import { z } from 'zod';
import { MAX_TOTALS } from '../../../domain/egress/totals.js';
import { MAX_LIMIT_MS, MAX_USE } from '../../../domain/run/model-use.js';
import { QUEUE_ID, type QueueBody } from '../../../domain/run/queue.js';

const at = z.int().nonnegative();
const ofTurn = { slug: z.string().max(63), turn: z.int().positive(), at };

const operationLine = z.strictObject({
  id: z.string().min(1).max(200),
  at,
  ms: z.int().nonnegative().optional(),
  operation: z.string().max(100),
  target: z.string().max(300),
  outcome: z.enum(['ok', 'refused', 'failed']),
  text: z.string().max(8192),
});

const host = z.string().min(1).max(300);
const count = z.int().nonnegative();
/** Of the sidecar's clock, should it be another machine's. */
const CLOCK_SKEW_MS = 60_000;
/** One more than have a line of their own: what is left stands under one name. */
const most = MAX_TOTALS + 1;

/** A sum that a taken-over sidecar cannot make overflow. */
const figure = z.int().nonnegative().max(MAX_USE);
const status = z.int().min(0).max(599);

const modelReport = z.strictObject({
  use: z.strictObject({
    requests: figure,
    failed: figure,
    inputTokens: figure,
    cacheReadTokens: figure,
    cacheWriteTokens: figure,
    outputTokens: figure,
    microUsd: figure,
  }),
  trouble: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('limited'),
        until: at.refine((until) => until <= Date.now() + MAX_LIMIT_MS + CLOCK_SKEW_MS),
      }),
      z.strictObject({ kind: z.literal('overloaded'), status }),
      z.strictObject({ kind: z.literal('refused'), status }),
      z.strictObject({ kind: z.literal('over_budget'), what: z.enum(['tokens', 'money']) }),
    ])
    .nullable(),
});

// Strict: a field that nobody knows is a bundle that is not ours. Total length is bounded by the file's.
const schema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('done'),
    ...ofTurn,
    status: z.enum(['success', 'blocked', 'failed']),
    summary: z.string(),
  }),
  z.strictObject({ kind: z.literal('open_pr'), ...ofTurn, title: z.string(), body: z.string() }),
  z.strictObject({ kind: z.literal('text'), ...ofTurn, where: z.string().max(100), text: z.string() }),
  z.strictObject({
    kind: z.literal('proposal'),
    ...ofTurn,
    tool: z.custom<ProposalTool>(isProposalTool),
    file: z.string(),
    justification: z.string(),
    currentHash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  z.strictObject({ kind: z.literal('operations'), ...ofTurn, lines: z.array(operationLine).max(5000) }),
  z.strictObject({
    kind: z.literal('egress'),
    ...ofTurn,
    process: z.string().regex(QUEUE_ID),
    hosts: z
      .array(
        z.strictObject({
          host,
          route: z.string().max(63).nullable(),
          connections: count,
          bytesUp: count,
          bytesDown: count,
        }),
      )
      .max(most),
    refusals: z.array(z.strictObject({ host, count })).max(most),
    lastSuccessAt: at.nullable(),
    model: modelReport.nullable(),
  }),
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
