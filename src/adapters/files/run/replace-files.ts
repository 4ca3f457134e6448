import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../../domain/base/errno.js';
import { writeWhole } from '../../system/write-file.js';

/**
 * Makes a directory of ours have exactly these files. The directory stays the same, because a bind mount holds on to it;
 * each file appears whole, and one that is the same already is not touched, so that who watches hears of changes only.
 */
export async function replaceFiles(
  directory: string,
  files: readonly (readonly [name: string, content: string])[],
  rights: Parameters<typeof writeWhole>[2],
): Promise<void> {
  const wanted = new Map(files);
  const found = (await unlessMissing(readdir(directory))) ?? [];
  for (const name of found)
    if (!wanted.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  for (const [name, content] of wanted) {
    const file = join(directory, name);
    if (found.includes(name) && (await readFile(file, 'utf8')) === content) continue;
    await writeWhole(file, content, rights);
  }
}
