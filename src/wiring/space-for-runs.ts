import { existsSync } from 'node:fs';
import path from 'node:path';
import { freeSpace } from '../adapters/files/free-space.js';
import { syncRunsRoot } from '../config/forklift.js';
import type { DiskSpace } from '../domain/bottle/disk-usage.js';

/** Where runs write: the home, what the engine keeps (`null`: not known), and the directories of syncs. */
export function spaceForRuns(home: string, dataRoot: string | null): Promise<DiskSpace> {
  const engine = dataRoot === null ? [] : [dataRoot];
  return freeSpace([home, ...engine, nearestThere(syncRunsRoot(process.env))]);
}

/** It is made by the first sync, on the file system of this one. */
function nearestThere(directory: string): string {
  return existsSync(directory) ? directory : nearestThere(path.dirname(directory));
}
