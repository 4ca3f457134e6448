import { extract, pack, type Headers } from 'tar-stream';
import { joinPieces } from '../../domain/base/join-pieces.js';
import { pause } from '../base/sha256.js';

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

/** Files of mode 0600, in order. The same files are the same bytes. */
export function tarOfFiles(files: readonly TarFile[]): Promise<Uint8Array> {
  return packed(files.map(({ name, content }) => [{ name, mode: 0o600 }, bufferOf(content)]));
}

/** Directories, each after the one it is in. */
export function tarOfDirectories(directories: readonly TarDirectory[]): Promise<Uint8Array> {
  return packed(directories.map((one) => [{ ...one, name: `${one.name}/`, type: 'directory' }]));
}

/** What `tarOfFiles` packed; `undefined` for what is no tar, or is cut within a file. */
export function filesOfTar(tar: Uint8Array): Promise<TarFile[] | undefined> {
  return new Promise((resolve) => {
    const files: TarFile[] = [];
    const stream = extract();
    const refuse = (): void => {
      resolve(undefined);
    };
    stream.on('entry', ({ name }, content, next) => {
      const pieces: Buffer[] = [];
      content.on('data', (piece: Buffer) => pieces.push(piece));
      content.on('end', () => {
        joinPieces(pieces, pause).then((joined) => {
          files.push({ name, content: joined });
          next();
        }, refuse);
      });
    });
    stream.on('error', refuse);
    stream.on('finish', () => {
      resolve(files);
    });
    stream.end(bufferOf(tar));
  });
}

async function packed(entries: readonly (readonly [Headers, Buffer?])[]): Promise<Uint8Array> {
  const stream = pack();
  const pieces: Buffer[] = [];
  const ended = new Promise((resolve, reject) => {
    stream.on('end', resolve).on('error', reject);
  });
  // Not read by an iterator: that one would copy all that waits in one go.
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  for (const [header, content] of entries) stream.entry({ ...header, mtime: new Date(0) }, content);
  stream.finalize();
  await ended;
  return joinPieces(pieces, pause);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
