/** What a benchmark opened goes when it ends, fails, or is interrupted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type CleanUp = () => unknown;

const open: CleanUp[] = [];

/** Runs work, then cleans up, whatever became of the work. */
export async function cleaningUp<T>(cleanUp: CleanUp, work: () => Promise<T>): Promise<T> {
  open.push(cleanUp);
  try {
    return await work();
  } finally {
    const at = open.lastIndexOf(cleanUp);
    if (at >= 0) {
      open.splice(at, 1);
      await cleanUp();
    }
  }
}

/** Work in a directory of its own. Its path is short: that of a Unix socket has 107 bytes. */
export async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'bb-bench-'));
  return cleaningUp(
    () => rm(directory, { recursive: true, force: true }),
    () => work(directory),
  );
}

/** On a signal: everything that is open, the last first; a fault is no reason to leave the rest. */
export async function cleanUpAll(): Promise<void> {
  for (let cleanUp = open.pop(); cleanUp !== undefined; cleanUp = open.pop()) {
    try {
      await cleanUp();
    } catch (error) {
      console.error('not cleaned up:', error);
    }
  }
}
