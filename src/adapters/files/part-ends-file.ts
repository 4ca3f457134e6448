import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { PartEnd } from '../../domain/part-ends.js';
import { unlessMissing } from './file-error.js';
import { writeWhole } from './write-file.js';

const schema = z.object({
  version: z.literal(1),
  ends: z.array(z.object({ part: z.string(), at: z.number(), reason: z.string(), again: z.boolean() })),
});

/** What `up` writes and `doctor` reads. */
export function partEndsFile(home: string): string {
  return join(home, 'part-ends.json');
}

/** Oldest first. A file that cannot be understood counts as none: it is there for people, and nothing depends on it. */
export async function readPartEnds(file: string): Promise<readonly PartEnd[]> {
  const text = await unlessMissing(readFile(file, 'utf8'));
  try {
    return text === undefined ? [] : schema.parse(JSON.parse(text)).ends;
  } catch {
    return [];
  }
}

export function writePartEnds(file: string, ends: readonly PartEnd[]): Promise<void> {
  return writeWhole(file, `${JSON.stringify({ version: 1, ends })}\n`, { mode: 0o600, durable: false });
}
