import type { Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { METADATA_FILE } from '../../../domain/run/run-metadata.js';
import { isKeptBundle } from '../../../domain/run/run-files.js';
import { isSlug } from '../../../domain/run/slug.js';
import { unlessMissing } from '../../../domain/base/errno.js';
import { removeIfEmpty } from '../directories.js';
import { hasTransient, transientPaths } from './run-leftovers.js';
import { runLayout, type RunLayout } from './run-layout.js';
import { ownBytes, sumOfTrees, treeBytes } from '../../system/tree-bytes.js';

/** What the host itself keeps of a run. Bytes on the disk. */
export interface KeptRun {
  readonly slug: string;
  readonly transcript: number;
  readonly turns: number;
  /** Whatever else `forgetKeptRun` removes. */
  readonly rest: number;
  /** What it leaves. */
  readonly stays: number;
  /** The directories that go with the run are there too. */
  readonly unfinished: boolean;
}

export async function keptRuns(home: string): Promise<KeptRun[]> {
  const slugs = ((await unlessMissing(readdir(join(home, 'state')))) ?? []).filter(isSlug).sort();
  const runs: KeptRun[] = [];
  for (const slug of slugs) {
    const layout = runLayout(home, slug);
    const { root, transcript, turns, archive } = layout;
    const found = await directoryAt(root);
    if (found === undefined) continue;
    const { goes, stays } = await contentOf(layout);
    const apart = [transcript, turns, archive];
    const [transcriptBytes = 0, turnsBytes = 0, archiveBytes = 0] = await Promise.all(apart.map(treeBytes));
    const rest = await sumOfTrees(goes.filter((path) => !apart.includes(path)));
    runs.push({
      slug,
      transcript: transcriptBytes,
      turns: turnsBytes + archiveBytes,
      // The directory too: an empty one that a crash left is something to remove.
      rest: rest + (stays.length === 0 ? ownBytes(found) : 0),
      stays: await sumOfTrees(stays),
      unfinished: await hasTransient(layout),
    });
  }
  return runs;
}

/**
 * Removes all that is kept of a run that is over, but for commits that nobody else may have and, beside them, whose they
 * are. Answers `false`, and leaves everything, while something is there that goes with a run that lives: its end has not
 * got through, and an agent may have written there.
 */
export async function forgetKeptRun(home: string, slug: string): Promise<boolean> {
  const layout = runLayout(home, slug);
  // What is behind a link in its place is not the run's.
  if ((await directoryAt(layout.root)) === undefined) return true;
  if (await hasTransient(layout)) return false;
  for (const path of (await contentOf(layout)).goes) await rm(path, { recursive: true, force: true });
  // Of what came meanwhile nothing is removed.
  await removeIfEmpty(layout.root);
  return true;
}

interface Content {
  readonly goes: readonly string[];
  readonly stays: readonly string[];
}

/** Paths of what is in the run's directory, without what goes with a run that lives: that is not only the host's. */
async function contentOf(layout: RunLayout): Promise<Content> {
  const others = new Set(transientPaths(layout).map((path) => basename(path)));
  const names = ((await unlessMissing(readdir(layout.root))) ?? []).filter((name) => !others.has(name));
  const bundles = names.filter(isKeptBundle);
  const staying = bundles.length > 0 ? [...bundles, METADATA_FILE] : [];
  const paths = (isMeant: (name: string) => boolean): string[] =>
    names.filter(isMeant).map((name) => join(layout.root, name));
  return {
    goes: paths((name) => !staying.includes(name)),
    stays: paths((name) => staying.includes(name)),
  };
}

async function directoryAt(path: string): Promise<Stats | undefined> {
  const found = await unlessMissing(lstat(path));
  return found?.isDirectory() === true ? found : undefined;
}
