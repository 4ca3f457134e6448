import { z } from 'zod';
import { EMPTY_RECONCILE_STATE } from '../../domain/upkeep/reconcile.js';
import type { ReconcileState, ReconcileStore } from '../../domain/upkeep/reconcile.js';
import { readJson } from './read-json.js';
import { writeWhole } from '../system/write-file.js';

const time = z.number().nonnegative();
const cursor = z.object({
  since: time.nullable(),
  page: z.int().positive(),
  pageSize: z.int().nonnegative(),
  upTo: time.nullable(),
});
const run = z.object({
  pr: z.int().nullable(),
  head: z.string().nullable(),
  remarks: z.record(z.string(), z.int().nonnegative()),
});
const schema = z.object({
  version: z.literal(1),
  lists: z.record(z.string(), cursor),
  ids: z.record(z.string(), z.int().positive()),
  comments: z.record(z.string(), cursor),
  runs: z.record(z.string(), run),
  pulls: z.array(z.object({ repoId: z.int(), number: z.int() })),
  next: z.string().nullable(),
  posted: z.array(z.string()),
  notBefore: time.nullable(),
});

/**
 * The reconciler's state as one JSON file, written whole and synced. A file that cannot be understood counts as none:
 * everything open is looked at again then, which costs requests and nothing else. Errors: the system's.
 * @param onUnreadable is told when there is such a file
 */
export function reconcileFile(file: string, onUnreadable: (error: unknown) => void): ReconcileStore {
  return {
    load: async () => (await readJson(file, schema, onUnreadable)) ?? EMPTY_RECONCILE_STATE,
    save: (state: ReconcileState) =>
      writeWhole(file, JSON.stringify({ version: 1, ...state }), { mode: 0o600, durable: true }),
  };
}
