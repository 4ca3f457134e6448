/**
 * Git LFS for reading: which objects a workspace gets, and what of the forge's answer is followed. Pointers are text of
 * whoever can write to the repository.
 */
import type { LeftOut } from './submodules.js';

const MIB = 1024 * 1024;
/** Of one workspace. */
export const MAX_LFS_OBJECTS = 2_000;
export const MAX_LFS_BYTES = 2 * 1024 * MIB;
/** Of one object. */
export const MAX_LFS_OBJECT_BYTES = 512 * MIB;
/** git-lfs' specification: a pointer is shorter than this, bytes. */
export const LFS_POINTER_BYTES = 1024;

export interface LfsObject {
  /** SHA-256, lower-case hexadecimal. */
  readonly oid: string;
  /** Bytes. */
  readonly size: number;
}

export interface LfsFile extends LfsObject {
  readonly path: string;
}

export interface TurnLfs {
  /** Files whose content is there. */
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
}

export const NO_LFS: TurnLfs = { files: 0, leftOut: [] };

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:([0-9a-f]{64})\nsize ([0-9]{1,15})\n$/;

/** `undefined` for what is no pointer, and for one with extensions: those would need their programs. */
export function parseLfsPointer(text: string): LfsObject | undefined {
  const [, oid, size] = POINTER.exec(text) ?? [];
  return oid === undefined ? undefined : { oid, size: Number(size) };
}

/** Each object once, in the order of the files, as long as the limits allow it. */
export function chooseLfsObjects(files: readonly LfsFile[]): {
  readonly wanted: readonly LfsObject[];
  readonly leftOut: readonly LeftOut[];
} {
  const wanted = new Map<string, LfsObject>();
  const leftOut: LeftOut[] = [];
  let bytes = 0;
  for (const { path, oid, size } of files) {
    const known = wanted.get(oid);
    if (known?.size === size) continue;
    const reason =
      known !== undefined
        ? 'another pointer gives its object another size'
        : size > MAX_LFS_OBJECT_BYTES
          ? `it has ${String(size)} bytes, more than the ${String(MAX_LFS_OBJECT_BYTES)} of one object`
          : bytes + size > MAX_LFS_BYTES
            ? `a workspace has at most ${String(MAX_LFS_BYTES)} bytes of LFS objects`
            : wanted.size === MAX_LFS_OBJECTS
              ? `a workspace has at most ${String(MAX_LFS_OBJECTS)} LFS objects`
              : undefined;
    if (reason !== undefined) {
      leftOut.push({ path, reason });
      continue;
    }
    bytes += size;
    wanted.set(oid, { oid, size });
  }
  return { wanted: [...wanted.values()], leftOut };
}

/** Where an object is downloaded, or why it is not. */
export type LfsDownload =
  | { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly ours: boolean }
  | { readonly reason: string };

/** Origins as `URL.origin` gives them. */
export interface LfsOrigins {
  readonly forge: string;
  /** Of the operator's setting: they get no token of ours. */
  readonly others: readonly string[];
}

/**
 * The answer of the batch API (git-lfs' `docs/api/batch.md`) for the objects that were asked for; what it says of others
 * is not looked at.
 */
export function readLfsAnswer(
  answer: unknown,
  asked: readonly LfsObject[],
  origins: LfsOrigins,
): ReadonlyMap<string, LfsDownload> {
  const transfer = fieldOf(answer, 'transfer');
  const listed = fieldOf(answer, 'objects');
  const found = new Map(asked.map(({ oid }) => [oid, refused('the forge did not answer for it')]));
  if (!Array.isArray(listed)) return found;
  const known = transfer === undefined || transfer === 'basic';
  const sizes = new Map(asked.map(({ oid, size }) => [oid, size]));
  for (const object of listed as readonly unknown[]) {
    const oid = fieldOf(object, 'oid');
    if (typeof oid !== 'string' || !sizes.has(oid)) continue;
    found.set(
      oid,
      !known
        ? refused('the forge wants another way of transfer than basic')
        : fieldOf(object, 'size') !== sizes.get(oid)
          ? refused('the forge has it with another size')
          : downloadOf(object, origins),
    );
  }
  return found;
}

function downloadOf(object: unknown, origins: LfsOrigins): LfsDownload {
  if (fieldOf(object, 'error') !== undefined) return refused('the forge does not have it');
  const action = fieldOf(fieldOf(object, 'actions'), 'download');
  const href = fieldOf(action, 'href');
  if (typeof href !== 'string' || href.length > 8192 || !URL.canParse(href))
    return refused('the forge does not say where it is');
  const url = new URL(href);
  if (url.username !== '' || url.password !== '')
    return refused('its address has a user or a password in it');
  const ours = url.origin === origins.forge;
  if (!ours && !origins.others.includes(url.origin))
    return refused(
      `the forge says it is at ${url.origin.slice(0, 200)}, which is not the forge: FORGE_LFS_ORIGINS can allow that`,
    );
  return { url, headers: headersOf(fieldOf(action, 'header')), ours };
}

/** Those that say how a message is framed are ours to write. */
const OWN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|accept-encoding)$/i;

function headersOf(given: unknown): Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null) return {};
  const entries = Object.entries(given).filter(
    (entry): entry is [string, string] =>
      /^[A-Za-z0-9-]{1,64}$/.test(entry[0]) &&
      !OWN_HEADERS.test(entry[0]) &&
      typeof entry[1] === 'string' &&
      /^[ -~]{0,4096}$/.test(entry[1]),
  );
  return Object.fromEntries(entries.slice(0, 16));
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function refused(reason: string): LfsDownload {
  return { reason };
}
