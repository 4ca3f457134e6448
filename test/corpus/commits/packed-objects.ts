/** Git objects, packs and bundles written by hand: what no ordinary git would make. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

const TYPES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const REF_DELTA = 7;
/** Most bytes that one copy instruction of a delta stands for (gitformat-pack(5)). */
const MAX_COPY = 0xffffff;

export interface TreeEntry {
  readonly mode: '100644' | '100755' | '120000' | '160000' | '40000';
  readonly name: string;
  /** 40 hexadecimal digits. */
  readonly id: string;
}

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface CommitParts {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string | Buffer;
  /** Whole lines between the committer and the message. */
  readonly headers?: string;
  readonly author?: Person;
  readonly time?: number;
}

/** The objects of one hostile branch, on their way into a bundle. */
export class PackedObjects {
  readonly #entries: Buffer[] = [];
  readonly #ids = new Set<string>();

  /** @param author who the gate takes commits of */
  constructor(private readonly author: Person) {}

  add(type: ObjectType, content: Buffer | string): string {
    const bytes = Buffer.from(content);
    const id = idOf(type, bytes);
    if (this.#ids.has(id)) return id;
    this.#ids.add(id);
    this.#entries.push(Buffer.concat([entryHeader(TYPES[type], bytes.length), deflateSync(bytes)]));
    return id;
  }

  blob(content: Buffer | string): string {
    return this.add('blob', content);
  }

  /** In the order of git's trees. */
  tree(entries: readonly TreeEntry[]): string {
    const keyed = entries.map((entry) => ({ entry, key: sortKey(entry) }));
    keyed.sort((a, b) => Buffer.compare(a.key, b.key));
    return this.add('tree', treeContent(keyed.map(({ entry }) => entry)));
  }

  commit({
    tree,
    parents,
    message,
    headers = '',
    author = this.author,
    time = 1_700_000_000,
  }: CommitParts): string {
    const who = `${author.name} <${author.email}> ${String(time)} +0000`;
    const head = `tree ${tree}\n${parents.map((id) => `parent ${id}\n`).join('')}author ${who}\ncommitter ${who}\n${headers}\n`;
    return this.add('commit', Buffer.concat([Buffer.from(head), Buffer.from(message)]));
  }

  /**
   * An object that its base and copy instructions stand for.
   * @param copies places of the base that are put one after the other
   */
  delta(
    type: ObjectType,
    base: { readonly id: string; readonly content: Buffer },
    copies: readonly Copy[],
  ): string {
    const pieces = copies.map(({ offset, length }) => base.content.subarray(offset, offset + length));
    const hash = createHash('sha1');
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    hash.update(`${type} ${String(size)}\0`);
    for (const piece of pieces) hash.update(piece);
    const id = hash.digest('hex');
    this.rawDelta(base.id, deltaOf(base.content.length, size, copies));
    this.#ids.add(id);
    return id;
  }

  /** A delta as it is, right or wrong. */
  rawDelta(baseId: string, delta: Buffer): void {
    this.#entries.push(
      Buffer.concat([entryHeader(REF_DELTA, delta.length), Buffer.from(baseId, 'hex'), deflateSync(delta)]),
    );
  }

  /** An entry as it is, right or wrong. */
  raw(entry: Buffer): void {
    this.#entries.push(entry);
  }

  pack(): Buffer {
    const header = Buffer.alloc(12);
    header.write('PACK');
    header.writeUInt32BE(2, 4);
    header.writeUInt32BE(this.#entries.length, 8);
    const body = Buffer.concat([header, ...this.#entries]);
    return Buffer.concat([body, createHash('sha1').update(body).digest()]);
  }
}

export interface Copy {
  readonly offset: number;
  readonly length: number;
}

/** A version 2 bundle of one branch (gitformat-bundle(5)). */
export function bundleOf(
  pack: Buffer,
  head: string,
  branch: string,
  prerequisites: readonly string[],
): Buffer {
  const lines = ['# v2 git bundle', ...prerequisites.map((id) => `-${id} `), `${head} refs/heads/${branch}`];
  return Buffer.concat([Buffer.from(`${lines.join('\n')}\n\n`), pack]);
}

export function idOf(type: ObjectType, content: Buffer): string {
  return createHash('sha1')
    .update(`${type} ${String(content.length)}\0`)
    .update(content)
    .digest('hex');
}

/** Entries as they come. */
export function treeContent(entries: readonly TreeEntry[]): Buffer {
  return Buffer.concat(
    entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
}

export function deltaOf(baseSize: number, size: number, copies: readonly Copy[]): Buffer {
  return Buffer.concat([varint(baseSize), varint(size), ...copies.map(copyInstruction)]);
}

/** Of `length` bytes from the beginning, again and again. */
export function repeated(baseSize: number, total: number): Copy[] {
  const copies: Copy[] = [];
  for (let left = total; left > 0; left -= Math.min(baseSize, MAX_COPY))
    copies.push({ offset: 0, length: Math.min(left, baseSize, MAX_COPY) });
  return copies;
}

function copyInstruction({ offset, length }: Copy): Buffer {
  const bytes: number[] = [];
  let flags = 0x80;
  for (let i = 0; i < 4; i += 1) {
    const byte = (offset >>> (8 * i)) & 0xff;
    if (byte !== 0) {
      flags |= 1 << i;
      bytes.push(byte);
    }
  }
  for (let i = 0; i < 3; i += 1) {
    const byte = (length >>> (8 * i)) & 0xff;
    if (byte !== 0) {
      flags |= 0x10 << i;
      bytes.push(byte);
    }
  }
  return Buffer.from([flags, ...bytes]);
}

/** Type and size before an entry's content; the size is not checked here. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  let left = Math.floor(size / 16);
  while (left > 0) {
    bytes.push(byte | 0x80);
    byte = left & 0x7f;
    left = Math.floor(left / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left >= 128) {
    bytes.push((left % 128) | 0x80);
    left = Math.floor(left / 128);
  }
  bytes.push(left);
  return Buffer.from(bytes);
}

/** git orders a directory as if its name ended in a slash. */
function sortKey({ mode, name }: TreeEntry): Buffer {
  return Buffer.from(mode === '40000' ? `${name}/` : name);
}
