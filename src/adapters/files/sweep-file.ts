import { z } from 'zod';
import type { SweepStore } from '../../domain/upkeep/sweep.js';
import { readJson } from './read-json.js';
import { writeWhole } from '../system/write-file.js';

const schema = z.object({ version: z.literal(1), findings: z.array(z.string()) });

/** What the last sweep found, as one JSON file. One that cannot be understood counts as none: then a sweep more is needed. */
export function sweepFile(file: string): SweepStore {
  return {
    load: async () => (await readJson(file, schema))?.findings ?? [],
    save: (findings) =>
      writeWhole(file, JSON.stringify({ version: 1, findings }), { mode: 0o600, durable: false }),
  };
}
