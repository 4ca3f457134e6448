import { joinPieces } from '../../domain/base/join-pieces.js';
import { pause } from '../base/sha256.js';

/** Just enough of tar (POSIX.1-1988 ustar) for files that this program writes and reads itself. */

const BLOCK = 512;
/** Names and sizes beyond these need extensions of the format. */
const MAX_NAME = 99;
const MAX_SIZE = 8 ** 11 - 1;

export interface TarFile {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface TarDirectory {
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Files of mode 0600, in order. Errors: `RangeError` for a name or size that the format has no room for. */
export async function tarOfFiles(files: readonly TarFile[]): Promise<Uint8Array> {
  const parts = files.flatMap(({ name, content }) => [
    header({ name, mode: 0o600, uid: 0, gid: 0 }, '0', content.length),
    content,
    new Uint8Array(padding(content.length)),
  ]);
  return joinPieces([...parts, endOfArchive()], pause);
}

/** Directories, each after the one it is in. Errors: as above. */
export function tarOfDirectories(directories: readonly TarDirectory[]): Uint8Array {
  const parts = directories.map((one) => header({ ...one, name: `${one.name}/` }, '5', 0));
  return Buffer.concat([...parts, endOfArchive()]);
}

/** The files of `tarOfFiles`; `undefined` for anything else, such as one that is cut. */
export function filesOfTar(tar: Uint8Array): TarFile[] | undefined {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  const files: TarFile[] = [];
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const block = bytes.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return files;
    const size = Number.parseInt(block.toString('latin1', 124, 135), 8);
    const from = at + BLOCK;
    if (!hasGoodSum(block) || block[156] !== 0x30 || !(size >= 0) || from + size > bytes.length)
      return undefined;
    const name = block.toString('latin1', 0, block.subarray(0, MAX_NAME + 1).indexOf(0));
    files.push({ name, content: bytes.subarray(from, from + size) });
    at = from + size + padding(size);
  }
  return undefined;
}

function header({ name, mode, uid, gid }: TarDirectory, type: '0' | '5', size: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME || size > MAX_SIZE)
    throw new RangeError(`tar has no room for ${name} of ${String(size)} bytes`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  for (const [number, offset, digits] of [
    [mode, 100, 7],
    [uid, 108, 7],
    [gid, 116, 7],
    [size, 124, 11],
    // The same content is the same file: no time.
    [0, 136, 11],
  ] as const)
    block.write(number.toString(8).padStart(digits, '0'), offset, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\u000000', 257, 'latin1');
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Of all bytes, those of the sum itself taken as blanks. */
function sumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function hasGoodSum(block: Buffer): boolean {
  return Number.parseInt(block.toString('latin1', 148, 154), 8) === sumOf(block);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function endOfArchive(): Uint8Array {
  return new Uint8Array(2 * BLOCK);
}
