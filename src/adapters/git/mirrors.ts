import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RepoRef } from '../../domain/forge/issue.js';
import { treeBytes } from '../system/tree-bytes.js';
import { mirrorDirectory } from './mirror.js';
import { RepositoryLocks } from './repository-lock.js';
import { scratchDirectory } from './scratch-repository.js';

/** What a fetch, or the making of the mirror, changes. */
const SIGNS_OF_USE = ['HEAD', 'packed-refs', 'refs/heads', 'objects/pack', 'objects'];

export interface StoredMirror {
  readonly directory: string;
  readonly bytes: number;
  /** Epoch milliseconds of the last fetch that brought something. */
  readonly usedAt: number;
}

/** Every mirror below the directory, by name. */
export async function storedMirrors(mirrorsDir: string): Promise<StoredMirror[]> {
  const found: StoredMirror[] = [];
  for (const forge of await namesIn(mirrorsDir)) {
    if (forge.startsWith('.')) continue;
    for (const owner of await namesIn(join(mirrorsDir, forge))) {
      for (const name of await namesIn(join(mirrorsDir, forge, owner))) {
        if (!name.endsWith('.git')) continue;
        const directory = join(mirrorsDir, forge, owner, name);
        found.push({ directory, bytes: await treeBytes(directory), usedAt: await lastUse(directory) });
      }
    }
  }
  return found;
}

/** Where the mirrors of these repositories are. */
export function mirrorsOf(mirrorsDir: string, repositories: readonly RepoRef[]): ReadonlySet<string> {
  return new Set(repositories.map((repo) => mirrorDirectory(mirrorsDir, repo)));
}

/**
 * Removes a mirror that was not used since `before`; false when it was. Nobody fetches into it meanwhile, and a run that
 * needs it from now on makes a new one.
 */
export async function removeMirror(mirrorsDir: string, directory: string, before: number): Promise<boolean> {
  // Where what a crash leaves is cleaned up.
  const aside = join(scratchDirectory(mirrorsDir), randomUUID());
  const removed = await new RepositoryLocks().exclusively(`${directory}.lock`, async () => {
    if ((await lastUse(directory)) > before) return false;
    await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
    await rename(directory, aside);
    return true;
  });
  if (removed) await rm(aside, { recursive: true, force: true });
  return removed;
}

export async function scratchBytes(mirrorsDir: string): Promise<number> {
  const directory = scratchDirectory(mirrorsDir);
  let sum = 0;
  for (const name of await namesIn(directory)) sum += await treeBytes(join(directory, name));
  return sum;
}

async function lastUse(directory: string): Promise<number> {
  const times = await Promise.all(
    SIGNS_OF_USE.map(
      async (name) => (await stat(join(directory, name)).catch(() => undefined))?.mtimeMs ?? 0,
    ),
  );
  return Math.max(...times);
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(() => [])).sort();
}
