import { randomUUID } from 'node:crypto';
import { chmod, copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseLfsObjects, type LfsFile, type LfsObject, type TurnLfs } from '../../domain/workspace/lfs.js';
import { mapLimited } from '../../domain/base/map-limited.js';
import type { LfsClient } from './lfs-client.js';

/** Downloads at the same time. */
const AT_ONCE = 4;
/** A download this old was left by a crash. */
const LEFT_BEHIND_MS = 24 * 60 * 60_000;

/**
 * Puts the objects of these files into a new directory, each by its id, for a container to read. They come from the
 * store beside the repository's mirror (`lfs/objects/aa/bb/<oid>`), and into it from the forge. Errors: `GitError` for
 * faults that may pass; what cannot be had is left out.
 */
export async function placeLfsObjects(
  mirrorDir: string,
  files: readonly LfsFile[],
  directory: string,
  client: LfsClient,
): Promise<TurnLfs> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  await chmod(directory, 0o755);
  const store = join(mirrorDir, 'lfs');
  const { wanted, leftOut } = chooseLfsObjects(files);
  const reasons = await fetchMissing(store, wanted, client);
  const had = new Set<string>();
  for (const { oid } of wanted) {
    if (reasons.has(oid)) continue;
    await place(objectFile(store, oid), join(directory, oid));
    had.add(oid);
  }
  const sizes = new Map(wanted.map(({ oid, size }) => [oid, size]));
  const asked = files.filter(({ oid, size }) => sizes.get(oid) === size);
  const missing = asked.flatMap(({ path, oid }) => {
    const reason = reasons.get(oid);
    return reason === undefined ? [] : [{ path, reason }];
  });
  return { files: asked.filter(({ oid }) => had.has(oid)).length, leftOut: [...leftOut, ...missing] };
}

/** Answers why an object is not in the store. */
async function fetchMissing(
  store: string,
  wanted: readonly LfsObject[],
  client: LfsClient,
): Promise<ReadonlyMap<string, string>> {
  const there = await Promise.all(wanted.map(({ oid, size }) => hasSize(objectFile(store, oid), size)));
  const missing = wanted.filter((_, index) => there[index] !== true);
  const reasons = new Map<string, string>();
  if (missing.length === 0) return reasons;
  const half = join(store, 'half');
  await mkdir(half, { recursive: true, mode: 0o700 });
  await removeLeftBehind(half);
  const places = await client.locate(missing);
  await mapLimited(missing, AT_ONCE, async (object) => {
    const file = join(half, randomUUID());
    try {
      const from = places.get(object.oid) ?? { reason: 'the forge did not answer for it' };
      const reason = await client.download(object, from, file);
      if (reason !== undefined) {
        reasons.set(object.oid, reason);
        return;
      }
      const target = objectFile(store, object.oid);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(file, target);
    } finally {
      await rm(file, { force: true });
    }
  });
  return reasons;
}

function objectFile(store: string, oid: string): string {
  return join(store, 'objects', oid.slice(0, 2), oid.slice(2, 4), oid);
}

/** A link costs nothing, and the container that sees it sees it read-only. */
async function place(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // Another file system, or one without links.
    if (!(
      error instanceof Error &&
      'code' in error &&
      ['EXDEV', 'EPERM', 'EMLINK'].includes(String(error.code))
    ))
      throw error;
    await copyFile(from, to);
  }
}

async function hasSize(file: string, size: number): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.size === size;
}

async function removeLeftBehind(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    const info = await stat(file).catch(() => undefined);
    if (info !== undefined && Date.now() - info.mtimeMs > LEFT_BEHIND_MS) await rm(file, { force: true });
  }
}
