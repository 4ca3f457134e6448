import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { unlessMissing } from '../../domain/base/errno.js';

/**
 * A JSON file on which nothing depends that cannot be found out again: one that cannot be understood counts as none.
 * Errors: the system's.
 * @param onUnreadable is told when there is such a file
 */
export async function readJson<T>(
  file: string,
  schema: z.ZodType<T>,
  onUnreadable: (error: unknown) => void = () => undefined,
): Promise<T | undefined> {
  const text = await unlessMissing(readFile(file, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    onUnreadable(error);
    return undefined;
  }
}
