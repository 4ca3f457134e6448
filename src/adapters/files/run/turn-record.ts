import { z } from 'zod';
import { LOST_PARTS, type TurnRecord } from '../../../domain/run/run-files.js';
import { STOP_REASONS } from '../../../domain/run/turn.js';
import { RunFilesError } from '../file-error.js';

const usage = z.object({ bytes: z.number(), inodes: z.number() });

const schema = z.object({
  turn: z.int().positive(),
  previousStart: z.string(),
  refs: z
    .object({
      startSha: z.string(),
      baseBranch: z.string(),
      baseSha: z.string(),
      branchSha: z.string().nullable(),
    })
    .nullable(),
  baseSha: z.string().nullable(),
  knownStuck: z.array(z.string()).optional(),
  logSince: z.string().nullable(),
  lastCheckinAt: z.number(),
  done: z
    .object({
      id: z.string(),
      status: z.enum(['success', 'blocked', 'failed']),
      summary: z.string(),
      at: z.number(),
    })
    .nullable(),
  sidecarRestarts: z.int(),
  heldMs: z.number(),
  stopped: z.enum(STOP_REASONS).nullable(),
  // Records of an earlier version lack what has a default.
  askedMs: z.number().default(0),
  stopDetail: z.string().nullable().default(null),
  setAside: z.string().nullable().default(null),
  disk: z.object({ held: usage }).nullable().default(null),
  provider: z.object({ name: z.string(), version: z.string().nullable() }).nullable().default(null),
  sessionId: z.string().nullable(),
  lost: z.array(z.enum(LOST_PARTS)).default([]),
  reported: z
    .object({
      inputTokens: z.number(),
      cachedTokens: z.number(),
      outputTokens: z.number(),
      usd: z.number().nullable(),
    })
    .nullable()
    .default(null),
}) satisfies z.ZodType<TurnRecord>;

/** Errors: `RunFilesError`, final: a record that was written whole and cannot be read is not cured by reading again. */
export function parseTurnRecord(text: string, file: string): TurnRecord {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new RunFilesError(`${file} is not a turn's record`, false, { cause: error });
  }
}
