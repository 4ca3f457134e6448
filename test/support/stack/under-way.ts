import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../../src/adapters/files/read-json.js';
import { waitUntil } from './stack.js';

const schema = z.object({ worker: z.string(), crashes: z.int() });

/** What a worker has under way, or had when it died, by its marks. */
async function marksOf(home: string): Promise<z.infer<typeof schema>[]> {
  const directory = join(home, 'under-way');
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  const marks = await Promise.all(files.map((name) => readJson(join(directory, name), schema)));
  return marks.filter((mark) => mark !== undefined);
}

/**
 * Kills the worker of a home, and waits until the next one is through with all that was under way then. Killed before
 * that it would set it aside: nobody can tell a kill from a crash.
 */
export async function killedAndTakenOver(home: string, kill: () => Promise<void>): Promise<void> {
  const dead = new Set((await marksOf(home)).map(({ worker }) => worker));
  await kill();
  await waitUntil('the next worker to be through with what was under way', async () =>
    (await marksOf(home)).every(({ worker, crashes }) => crashes === 0 && !dead.has(worker)),
  );
}
