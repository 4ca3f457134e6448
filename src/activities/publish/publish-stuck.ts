import type { HostPorts } from '../ports/host-ports.js';

/** Where the hash of the last turn's `STUCK.md` is kept, below the run's directory. */
const STUCK_FILE = 'stuck';

/**
 * Whether `STUCK.md` is new or changed since the last turn was settled.
 * @param hash of the file now, `null` without one
 */
export async function isStuck(
  ports: Pick<HostPorts, 'files'>,
  slug: string,
  hash: string | null,
): Promise<boolean> {
  if (hash === null) return false;
  const before = await ports.files.readFile(slug, STUCK_FILE);
  return before === undefined || new TextDecoder().decode(before) !== hash;
}

/** @param hash of the file as the turn left it */
export async function noteStuck(
  ports: Pick<HostPorts, 'files'>,
  slug: string,
  hash: string | null,
): Promise<void> {
  await ports.files.saveFile(slug, STUCK_FILE, hash ?? '');
}
