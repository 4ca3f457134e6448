import { BottleRuntimeError } from '../../domain/base/errors.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { keptSnapshots } from './kept-snapshots.js';
import { unpackSnapshot, type SnapshotPart } from './snapshot.js';
import { tarOfDirectories } from './tar.js';

const HOME = '/home/agent';
const AGENT = { uid: 1000, gid: 1000 };

/**
 * A fresh home of an older run: its session comes back from the newest snapshot of the same provider that is whole. The
 * container must not run. Errors: `BottleRuntimeError`.
 */
export async function restoreSession(ports: HostPorts, input: RunTurnInput): Promise<void> {
  const { runtime, files, log } = ports;
  const { slug, turn, prepared } = input;
  for (const path of await keptSnapshots(files, slug)) {
    const file = await files.readFile(slug, path);
    if (file === undefined) continue;
    const snapshot = await unpackSnapshot(file);
    if (snapshot === undefined) log.warn({ slug, turn, path }, 'a snapshot of the session is damaged');
    else if (snapshot.provider === prepared.provider) {
      for (const part of snapshot.parts) await orWarn(ports, slug, () => restorePart(runtime, slug, part));
      return;
    }
  }
}

/** What the agent left may be nothing that the engine takes back: then the run goes on with what was unpacked of it. */
async function orWarn(
  { log }: Pick<HostPorts, 'log'>,
  slug: string,
  restore: () => Promise<void>,
): Promise<void> {
  try {
    await restore();
  } catch (error) {
    if (!(error instanceof BottleRuntimeError) || error.away) throw error;
    log.warn({ slug, err: error }, 'the session could not be restored whole');
  }
}

/** The engine unpacks into a directory that is there; those on the way become the agent's, for itself alone. */
async function restorePart(
  runtime: HostPorts['runtime'],
  slug: string,
  { path, tar }: SnapshotPart,
): Promise<void> {
  if (!path.startsWith(`${HOME}/`)) return;
  const above = path
    .slice(HOME.length + 1)
    .split('/')
    .slice(0, -1);
  const directories = above.map((_, at) => ({
    name: above.slice(0, at + 1).join('/'),
    mode: 0o700,
    ...AGENT,
  }));
  if (directories.length > 0) await runtime.restore(slug, 'agent', HOME, await tarOfDirectories(directories));
  await runtime.restore(slug, 'agent', [HOME, ...above].join('/'), tar);
}
