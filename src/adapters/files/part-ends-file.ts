import { join } from 'node:path';
import { z } from 'zod';
import type { PartEnd } from '../../domain/upkeep/part-ends.js';
import { readJson } from './read-json.js';
import { writeWhole } from '../system/write-file.js';

const schema = z.object({
  version: z.literal(1),
  ends: z.array(z.object({ part: z.string(), at: z.number(), reason: z.string(), again: z.boolean() })),
});

/** What `up` writes and `doctor` reads. */
export function partEndsFile(home: string): string {
  return join(home, 'part-ends.json');
}

/** Oldest first. */
export async function readPartEnds(file: string): Promise<readonly PartEnd[]> {
  return (await readJson(file, schema))?.ends ?? [];
}

export function writePartEnds(file: string, ends: readonly PartEnd[]): Promise<void> {
  return writeWhole(file, `${JSON.stringify({ version: 1, ends })}\n`, { mode: 0o600, durable: false });
}
