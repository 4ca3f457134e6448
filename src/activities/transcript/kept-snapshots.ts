import type { HostPorts } from '../ports/host-ports.js';

const DIRECTORY = 'transcript';
/** Newest snapshots that are kept of a run. */
const KEPT = 3;
const NAME = /^turn-([1-9]\d{0,8})\.tar$/;

type Files = Pick<HostPorts['files'], 'listFiles' | 'removeFile'>;

export function snapshotOf(turn: number): string {
  return `${DIRECTORY}/turn-${String(turn)}.tar`;
}

/** Paths below the run's directory, newest first. */
export async function keptSnapshots(files: Pick<Files, 'listFiles'>, slug: string): Promise<string[]> {
  return turnsOf(await files.listFiles(slug, DIRECTORY)).map(snapshotOf);
}

/** The turn of the newest; 0 when there is none. */
export async function newestSnapshot(files: Pick<Files, 'listFiles'>, slug: string): Promise<number> {
  return turnsOf(await files.listFiles(slug, DIRECTORY))[0] ?? 0;
}

function turnsOf(names: readonly string[]): number[] {
  return names
    .map((name) => Number(NAME.exec(name)?.[1] ?? 0))
    .filter((turn) => turn > 0)
    .sort((a, b) => b - a);
}

/** Called when a new one is on the disk, so that a whole one is always there. */
export async function pruneSnapshots(files: Files, slug: string): Promise<void> {
  for (const path of (await keptSnapshots(files, slug)).slice(KEPT)) await files.removeFile(slug, path);
}
