/** What the agent of a run has proposed, as its host has it: blobs of `ShownProposal`s by the proposals' ids. */
import type { RunFiles } from '../../domain/run/run-files.js';
import { readText } from '../base/run-text.js';

const DIRECTORY = 'proposals';

export async function keptProposal(
  files: Pick<RunFiles, 'readFile'>,
  slug: string,
  id: string,
): Promise<string | undefined> {
  return readText(files, slug, `${DIRECTORY}/${id}`);
}

export async function keepProposal(
  files: Pick<RunFiles, 'saveFile'>,
  slug: string,
  id: string,
  ref: string,
): Promise<void> {
  await files.saveFile(slug, `${DIRECTORY}/${id}`, ref);
}

export async function countKept(files: Pick<RunFiles, 'listFiles'>, slug: string): Promise<number> {
  return (await files.listFiles(slug, DIRECTORY)).length;
}

/** All of them, in no order. */
export async function keptProposals(
  files: Pick<RunFiles, 'listFiles' | 'readFile'>,
  slug: string,
): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const id of await files.listFiles(slug, DIRECTORY)) {
    const ref = await keptProposal(files, slug, id);
    if (ref !== undefined) refs.push(ref);
  }
  return refs;
}
