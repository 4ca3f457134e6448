import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../../domain/base/errno.js';
import { runLayout, turnDirectory } from './run-layout.js';

/** Whether the run has a directory here, and whether what goes with it at its end is still there. */
export async function runDirectory(home: string, slug: string): Promise<'none' | 'alive' | 'ended'> {
  const { root, workspace } = runLayout(home, slug);
  if ((await unlessMissing(lstat(root)))?.isDirectory() !== true) return 'none';
  return (await unlessMissing(lstat(workspace))) === undefined ? 'ended' : 'alive';
}

/** Turns of which something is kept, ascending. */
export async function keptTurns(home: string, slug: string): Promise<number[]> {
  const names = (await unlessMissing(readdir(runLayout(home, slug).turns))) ?? [];
  return names
    .filter((name) => /^[1-9]\d{0,8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** Bytes of a turn's log; `null` while there is none. */
export async function logSize(home: string, slug: string, turn: number): Promise<number | null> {
  return (await unlessMissing(stat(logFile(home, slug, turn))))?.size ?? null;
}

/** Up to so many bytes from the offset on; none at the end, and while there is no log. */
export async function readLog(
  home: string,
  slug: string,
  turn: number,
  { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number },
): Promise<Uint8Array> {
  const handle = await unlessMissing(open(logFile(home, slug, turn)));
  if (handle === undefined) return new Uint8Array();
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function logFile(home: string, slug: string, turn: number): string {
  return join(turnDirectory(runLayout(home, slug), turn), 'agent.log');
}
