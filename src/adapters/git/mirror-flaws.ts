import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';
import { ownLines } from './git-failure.js';
import type { GitOutput } from './run-git.js';

const LOCKED = /Unable to create '.*\.lock': File exists/;
const DAMAGED = /bad object|did not send all necessary objects/;

/**
 * What git finds in a mirror whose last writer was stopped in the middle, as by a power cut: the locks of a git that is
 * gone, which it would respect for ever, or files that never reached the disk.
 */
export function flawOf(output: GitOutput): 'locked' | 'damaged' | undefined {
  if (output.exitCode === 0) return undefined;
  const own = ownLines(output.stderr);
  if (LOCKED.test(own)) return 'locked';
  return DAMAGED.test(own) ? 'damaged' : undefined;
}

/** For who holds the mirror's own lock: whoever made those of git is gone. No ref's name ends like one. */
export async function removeGitLocks(dir: string): Promise<void> {
  const below = await readdir(join(dir, 'refs'), { recursive: true });
  const names = [...(await readdir(dir)), ...below.map((name) => join('refs', name))];
  const locks = names.filter((name) => name.endsWith('.lock'));
  await Promise.all(locks.map((name) => rm(join(dir, name), { force: true })));
}

/**
 * Packs that a git ended in the middle was still writing: no other git removes them but one that tidies up, which none does
 * here. @param olderThanMs since when nobody wrote to them, for the git of a worker that was killed may go on
 */
export async function removePartialPacks(dir: string, olderThanMs: number): Promise<void> {
  const packs = join(dir, 'objects', 'pack');
  const names = (await unlessMissing(readdir(packs))) ?? [];
  for (const name of names.filter((each) => /^\.?tmp[-_]/.test(each))) {
    const file = await unlessMissing(stat(join(packs, name)));
    if (file !== undefined && Date.now() - file.mtimeMs > olderThanMs)
      await rm(join(packs, name), { force: true });
  }
}
