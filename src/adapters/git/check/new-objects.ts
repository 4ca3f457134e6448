import { GitError, GitOverrunError } from '../../../domain/base/errors.js';
import {
  eachRecord,
  newCommits,
  oncePerCandidate,
  quarantined,
  run,
  type Candidate,
  type InQuarantine,
} from './candidate.js';

export interface GitObject {
  readonly id: string;
  readonly type: string;
  /** Bytes, unpacked. */
  readonly size: number;
}

/** Takes one object's content, in pieces. */
export type ObjectReader = (object: GitObject) => {
  data(bytes: Uint8Array): void;
  end(): void;
};

/** Commits, trees and blobs together. */
export const MAX_NEW_OBJECTS = 100_000;
export const TOO_MANY_OBJECTS = `the new commits hold more than ${String(MAX_NEW_OBJECTS)} objects (commits, directories and files): take generated files out of the commits themselves`;
const HEADER_BYTES = 256;

/** Everything that the candidate has and the forge's branches have not, commits and trees included. */
export const newObjects = oncePerCandidate(listNewObjects);

async function listNewObjects(candidate: Candidate): Promise<GitObject[]> {
  const ids: string[] = [];
  const listing = ['rev-list', '--objects', '--no-object-names', ...newCommits(candidate)];
  await eachRecord(candidate, listing, '\n', (id) => {
    ids.push(id);
    if (ids.length > MAX_NEW_OBJECTS) throw new GitOverrunError('too many new objects', TOO_MANY_OBJECTS);
  });
  const objects: GitObject[] = [];
  const sizes = ['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'];
  await eachRecord(candidate, sizes, '\n', (line) => void objects.push(toObject(line)), {
    input: lines(ids),
  });
  return objects;
}

/** Reads the objects, each as it comes, in one process. Errors: `GitError`. */
export async function readObjects(
  quarantine: InQuarantine,
  ids: readonly string[],
  reader: ObjectReader,
): Promise<void> {
  if (ids.length === 0) return;
  const stream = new BatchOutput(reader);
  await run(quarantine, ['cat-file', '--batch', '--buffer'], {
    input: lines(ids),
    onOutput: (chunk) => {
      stream.push(chunk);
    },
  });
  if (stream.objects !== ids.length) throw new GitError('git did not show every new object', true);
}

/** The same for small ones: each as a whole. */
export async function readTexts(
  quarantine: InQuarantine,
  ids: readonly string[],
  take: (id: string, text: string) => void,
): Promise<void> {
  await readObjects(quarantine, ids, ({ id }) => {
    const parts: Uint8Array[] = [];
    return {
      data: (bytes) => void parts.push(bytes),
      end: () => {
        take(id, Buffer.concat(parts).toString());
      },
    };
  });
}

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('');
}

/** Where in the new commits an object stands: its path, and a commit that brought it. */
export async function placeOfObject(
  candidate: Candidate,
  id: string,
): Promise<{ readonly path: string; readonly commit: string | null }> {
  let line = '';
  await eachRecord(candidate, ['rev-list', '--objects', ...newCommits(candidate)], '\n', (one) => {
    if (line === '' && one.startsWith(id)) line = one;
  });
  const commits = await quarantined(candidate, [
    ...['log', '--format=%H', '-m', `--find-object=${id}`],
    ...newCommits(candidate),
  ]);
  // The newest comes first, and it may be the one that took it away.
  const commit = commits.trim().split('\n').at(-1) ?? '';
  return { path: line.slice(41), commit: commit === '' ? null : commit };
}

/** `git cat-file --batch`: a line with id, type and size, the content, a line feed. */
class BatchOutput {
  objects = 0;
  #header: Buffer[] = [];
  #headerBytes = 0;
  #left = -1;
  #current: ReturnType<ObjectReader> | undefined;

  constructor(private readonly reader: ObjectReader) {}

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === -1) at = this.#readHeader(chunk, at);
      else if (this.#left > 0) at = this.#readContent(chunk, at);
      else {
        // The line feed behind the content.
        this.#left = -1;
        at += 1;
      }
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(10, at);
    const part = chunk.subarray(at, end === -1 ? chunk.length : end);
    this.#header.push(part);
    this.#headerBytes += part.length;
    if (this.#headerBytes > HEADER_BYTES)
      throw new GitError('git cat-file wrote a line that is too long', true);
    if (end === -1) return chunk.length;
    const object = toObject(Buffer.concat(this.#header).toString());
    this.#header = [];
    this.#headerBytes = 0;
    this.#left = object.size;
    this.#current = this.reader(object);
    if (object.size === 0) this.#finish();
    return end + 1;
  }

  #readContent(chunk: Buffer, at: number): number {
    const bytes = chunk.subarray(at, at + this.#left);
    this.#current?.data(bytes);
    this.#left -= bytes.length;
    if (this.#left === 0) this.#finish();
    return at + bytes.length;
  }

  #finish(): void {
    this.#current?.end();
    this.#current = undefined;
    this.objects += 1;
  }
}

function toObject(line: string): GitObject {
  const [id = '', type = '', size = ''] = line.split(' ');
  if (!/^\d+$/.test(size)) throw new GitError('an object of the new commits is missing', true);
  return { id, type, size: Number(size) };
}
