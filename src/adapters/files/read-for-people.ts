import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { unlessMissing } from '../system/errno.js';

/** JSON that is there for people, and on which nothing depends: one that cannot be understood counts as none. */
export async function readForPeople<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await unlessMissing(readFile(file, 'utf8'));
  try {
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
