/** What operators agreed to, as the host has it: whoever makes the bottle's configuration anew finds it here. */
import type { RunFiles } from '../../domain/run/run-files.js';
import { readOwnJson } from '../base/run-text.js';

const FILE = 'changes.json';

/** Blobs of `ShownProposal`s, in order. */
export async function keptChanges(
  files: Pick<RunFiles, 'readFile'>,
  slug: string,
): Promise<readonly string[]> {
  return (await readOwnJson<readonly string[]>(files, slug, FILE)) ?? [];
}

/** Adds what is not there: a turn's input may be older than what was agreed to since. */
export async function keepChanges(
  files: Pick<RunFiles, 'readFile' | 'saveFile'>,
  slug: string,
  changes: readonly string[],
): Promise<void> {
  const kept = await keptChanges(files, slug);
  const fresh = changes.filter((ref) => !kept.includes(ref));
  if (fresh.length > 0) await files.saveFile(slug, FILE, JSON.stringify([...kept, ...fresh]));
}
