import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);
/** Files of a tree, about a millisecond's work. */
const SLICE = 1_000;
const WHO = 'bot-bottle <bot-bottle@localhost>';

export interface CommitOfOurs {
  /** Blobs under names without a slash, in the order of the names' bytes, as a tree has them. */
  readonly files: readonly { readonly name: string; readonly blob: string }[];
  readonly parent?: string;
  /** Seconds; 0 by default. */
  readonly date?: string;
}

/** One that is not written yet. */
export interface GitObjectOfOurs {
  readonly id: string;
  /** With the header, not compressed. */
  readonly bytes: Buffer;
}

/** A commit and its tree, made without a process. The id is the commit's. */
export async function gitCommit({ files, parent, date = '0' }: CommitOfOurs): Promise<{
  readonly id: string;
  readonly objects: readonly GitObjectOfOurs[];
}> {
  const tree = gitObject('tree', await treeOf(files));
  const who = `${WHO} ${date} +0000`;
  const parents = parent === undefined ? '' : `parent ${parent}\n`;
  const text = `tree ${tree.id}\n${parents}author ${who}\ncommitter ${who}\n\nours\n`;
  const commit = gitObject('commit', Buffer.from(text));
  return { id: commit.id, objects: [tree, commit] };
}

/** In slices, since an agent's commits may change fifty thousand files, and each heartbeat goes over the same event loop. */
async function treeOf(files: CommitOfOurs['files']): Promise<Buffer> {
  const slices: Buffer[] = [];
  for (let at = 0; at < files.length; at += SLICE) {
    const entries = files
      .slice(at, at + SLICE)
      .flatMap(({ name, blob }) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    slices.push(Buffer.concat(entries));
    await setImmediate();
  }
  return Buffer.concat(slices);
}

export function gitObject(type: 'blob' | 'tree' | 'commit', content: Buffer): GitObjectOfOurs {
  const bytes = Buffer.concat([Buffer.from(`${type} ${String(content.length)}\0`), content]);
  return { id: createHash('sha1').update(bytes).digest('hex'), bytes };
}

/**
 * Writes loose objects (gitrepository-layout(5)) into a repository that is ours, all at once.
 * @throws the file system's errors
 */
export async function writeGitObjects(gitDir: string, objects: readonly GitObjectOfOurs[]): Promise<void> {
  await Promise.all(
    objects.map(async ({ id, bytes }) => {
      const directory = join(gitDir, 'objects', id.slice(0, 2));
      await mkdir(directory, { recursive: true });
      await writeFile(join(directory, id.slice(2)), await compress(bytes));
    }),
  );
}
