import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunLeftover } from '../../../domain/run/run-files.js';
import { isSlug } from '../../../domain/run/slug.js';
import { unlessMissing } from '../../../domain/base/errno.js';
import { runLayout, type RunLayout } from './run-layout.js';

/** Run directories that are not down to what is kept of an ended run. Looked at from outside: no tree is walked. */
export async function findLeftovers(home: string): Promise<RunLeftover[]> {
  const found: RunLeftover[] = [];
  for (const slug of ((await unlessMissing(readdir(join(home, 'state')))) ?? []).sort()) {
    if (!isSlug(slug)) continue;
    const layout = runLayout(home, slug);
    const root = await unlessMissing(lstat(layout.root));
    if (root?.isDirectory() !== true || !(await hasTransient(layout))) continue;
    found.push({ slug, changedAt: root.mtimeMs, secretsAt: await secretsPlacedAt(layout) });
  }
  return found;
}

/** What goes with a run that lives, in the run's directory. */
export function transientPaths(layout: RunLayout): readonly string[] {
  return [layout.workspace, layout.bundle, layout.queue, layout.turnInput, layout.currentConfig];
}

export async function hasTransient(layout: RunLayout): Promise<boolean> {
  for (const path of transientPaths(layout)) {
    if ((await unlessMissing(lstat(path))) !== undefined) return true;
  }
  return false;
}

async function secretsPlacedAt({ bundleToken, bundleSecrets }: RunLayout): Promise<number | null> {
  const names = (await unlessMissing(readdir(bundleSecrets))) ?? [];
  const files = [bundleToken, ...names.map((name) => join(bundleSecrets, name))];
  const times = await Promise.all(files.map(async (file) => (await unlessMissing(lstat(file)))?.mtimeMs));
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}
