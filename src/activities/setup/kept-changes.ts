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

/** Exactly these: what counts is what the run's workflow says, and what was rejected is not in there. */
export async function keepChanges(
  files: Pick<RunFiles, 'readFile' | 'saveFile'>,
  slug: string,
  changes: readonly string[],
): Promise<void> {
  const text = JSON.stringify(changes);
  if (text !== JSON.stringify(await keptChanges(files, slug))) await files.saveFile(slug, FILE, text);
}
