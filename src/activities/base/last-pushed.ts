/** The head of the run's branch as we pushed it last, kept below the run's directory. */
import type { HostPorts } from '../ports/host-ports.js';
import { readText } from './run-text.js';

const FILE = 'published';

/** `null`: nothing of the run was pushed from this host. */
export async function lastPushed({ files }: Pick<HostPorts, 'files'>, slug: string): Promise<string | null> {
  return (await readText(files, slug, FILE))?.trim() ?? null;
}

export async function keepPushed(
  { files }: Pick<HostPorts, 'files'>,
  slug: string,
  head: string,
): Promise<void> {
  await files.saveFile(slug, FILE, head);
}
