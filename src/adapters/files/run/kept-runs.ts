import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSlug } from '../../../domain/run/slug.js';
import { errnoOf, unlessMissing } from '../../system/errno.js';
import { findLeftovers } from './run-leftovers.js';
import { MAKING_SUFFIX } from '../directories.js';
import { runLayout } from './run-layout.js';
import { treeBytes } from '../../system/tree-bytes.js';
import { TEMPORARY_PREFIX } from '../../system/write-file.js';

/** What the host itself keeps of a run. Bytes on the disk. */
export interface KeptRun {
  readonly slug: string;
  readonly transcript: number;
  readonly turns: number;
  readonly rest: number;
  /** The directories that go with the run are there too. */
  readonly unfinished: boolean;
}

export async function keptRuns(home: string): Promise<KeptRun[]> {
  const slugs = ((await unlessMissing(readdir(join(home, 'state')))) ?? []).filter(isSlug).sort();
  const unfinished = new Set((await findLeftovers(home)).map(({ slug }) => slug));
  const runs: KeptRun[] = [];
  for (const slug of slugs) {
    const { root, transcript, turns, archive } = runLayout(home, slug);
    if ((await unlessMissing(lstat(root)))?.isDirectory() !== true) continue;
    const files = ['metadata.json', 'unpublished.bundle', 'published'].map((name) => join(root, name));
    const [transcriptBytes, turnsBytes, archiveBytes, ...rest] = await Promise.all(
      [transcript, turns, archive, ...files].map(treeBytes),
    );
    runs.push({
      slug,
      transcript: transcriptBytes ?? 0,
      turns: (turnsBytes ?? 0) + (archiveBytes ?? 0),
      rest: rest.reduce((sum, bytes) => sum + bytes, 0),
      unfinished: unfinished.has(slug),
    });
  }
  return runs;
}

/** Turns, transcript and archive of a run that is over; `unpublished.bundle` stays, and so does whose it was beside it. */
export async function forgetKeptRun(home: string, slug: string): Promise<void> {
  const { root, transcript, turns, archive } = runLayout(home, slug);
  for (const path of [transcript, turns, archive]) await rm(path, { recursive: true, force: true });
  const left = (await unlessMissing(readdir(root))) ?? [];
  if (left.includes('unpublished.bundle')) return;
  const unfinished = left.filter((name) => name.startsWith(TEMPORARY_PREFIX) || name.endsWith(MAKING_SUFFIX));
  for (const name of ['published', 'metadata.json', ...unfinished])
    await rm(join(root, name), { recursive: true, force: true });
  await rmdir(root).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOTEMPTY' && errnoOf(error) !== 'EEXIST' && errnoOf(error) !== 'ENOENT')
      throw error;
  });
}
