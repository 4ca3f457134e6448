import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);
/** The latest date of git's. Named first, this commit comes before every other one in `git log`, even of that date. */
const NEWEST = '18446744073709551614';

/**
 * Writes a commit without parents whose one file holds the text, as loose objects, into a repository that is ours.
 * Answers its id.
 */
export async function writeSentinelCommit(gitDir: string, text: string): Promise<string> {
  const blob = await writeObject(gitDir, 'blob', Buffer.from(`${text}\n`));
  const entry = Buffer.concat([Buffer.from('100644 sentinel\0'), Buffer.from(blob, 'hex')]);
  const tree = await writeObject(gitDir, 'tree', entry);
  const who = `bot-bottle <bot-bottle@localhost> ${NEWEST} +0000`;
  const commit = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nsentinel\n`;
  return writeObject(gitDir, 'commit', Buffer.from(commit));
}

async function writeObject(gitDir: string, type: string, content: Buffer): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`${type} ${String(content.length)}\0`), content]);
  const id = createHash('sha1').update(bytes).digest('hex');
  const directory = join(gitDir, 'objects', id.slice(0, 2));
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, id.slice(2)), await compress(bytes));
  return id;
}
