import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { KnownRepositories, RepositoryMemory } from '../../domain/forge/known-repositories.js';
import { errnoOf } from '../../domain/base/errno.js';
import { writeWhole } from '../system/write-file.js';

const schema = z.object({ version: z.literal(1), ids: z.record(z.string(), z.array(z.int().positive())) });

/**
 * One JSON file, written whole and synced. One that cannot be understood counts as none: the ids are learnt again from the
 * next delivery of each. Errors: the system's.
 * @param onUnreadable is told when there is such a file
 */
export function knownRepositoriesFile(
  file: string,
  onUnreadable: (error: unknown) => void,
): RepositoryMemory {
  return {
    load: () => {
      try {
        return schema.parse(JSON.parse(readFileSync(file, 'utf8'))).ids;
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') onUnreadable(error);
        return {};
      }
    },
    save: (ids: KnownRepositories) =>
      writeWhole(file, JSON.stringify({ version: 1, ids }), { mode: 0o600, durable: true }),
  };
}
