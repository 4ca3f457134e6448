import { isRecord, recordIn } from '../../domain/base/is-record.js';
import { sha256OfLarge } from '../base/sha256.js';
import { filesOfTar, tarOfFiles } from './tar.js';

/**
 * A session as it was when a turn had ended. Each path's tar is the engine's, taken from a stopped container and never
 * looked into here: what is in it is the agent's.
 */
export interface Snapshot {
  readonly provider: string;
  readonly providerVersion: string | null;
  readonly turn: number;
  readonly parts: readonly SnapshotPart[];
}

export interface SnapshotPart {
  /** Absolute, in the container; the tar is restored into its parent. */
  readonly path: string;
  readonly tar: Uint8Array;
}

const INDEX = 'snapshot.json';

/** A tar of the parts as they are, `1.tar` and so on, behind an index that says what they are. */
export async function packSnapshot({
  provider,
  providerVersion,
  turn,
  parts,
}: Snapshot): Promise<Uint8Array> {
  const hashes: string[] = [];
  for (const { tar } of parts) hashes.push(await sha256OfLarge(tar));
  const index = {
    version: 1,
    provider,
    providerVersion,
    turn,
    parts: parts.map(({ path }, at) => ({ name: nameOf(at), path, sha256: hashes[at] })),
  };
  return tarOfFiles([
    { name: INDEX, content: Buffer.from(`${JSON.stringify(index, null, 2)}\n`, 'utf8') },
    ...parts.map(({ tar }, at) => ({ name: nameOf(at), content: tar })),
  ]);
}

/** `undefined` for what is not whole: cut, damaged, or of a later version. */
export async function unpackSnapshot(tar: Uint8Array): Promise<Snapshot | undefined> {
  const [first, ...files] = (await filesOfTar(tar)) ?? [];
  if (first?.name !== INDEX) return undefined;
  const index = parseIndex(Buffer.from(first.content).toString('utf8'));
  if (index?.parts.length !== files.length) return undefined;
  const parts: SnapshotPart[] = [];
  for (const [at, { path, sha256 }] of index.parts.entries()) {
    const file = files[at];
    if (file?.name !== nameOf(at) || (await sha256OfLarge(file.content)) !== sha256) return undefined;
    parts.push({ path, tar: file.content });
  }
  return { ...index, parts };
}

interface Index extends Omit<Snapshot, 'parts'> {
  readonly parts: readonly { readonly path: string; readonly sha256: string }[];
}

function parseIndex(text: string): Index | undefined {
  const value = recordIn(text);
  if (value?.['version'] !== 1 || !Array.isArray(value['parts'])) return undefined;
  const { provider, providerVersion, turn } = value;
  if (typeof provider !== 'string' || typeof turn !== 'number') return undefined;
  if (typeof providerVersion !== 'string' && providerVersion !== null) return undefined;
  const parts = value['parts'].map(parsePart);
  return parts.every((part) => part !== undefined) ? { provider, providerVersion, turn, parts } : undefined;
}

function parsePart(value: unknown): Index['parts'][number] | undefined {
  if (!isRecord(value)) return undefined;
  const { path, sha256: hash } = value;
  return typeof path === 'string' && typeof hash === 'string' ? { path, sha256: hash } : undefined;
}

function nameOf(at: number): string {
  return `${String(at + 1)}.tar`;
}
