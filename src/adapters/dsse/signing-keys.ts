/** `$BOT_BOTTLE_HOME/provenance`: the key that signs, and the public keys that ever did. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../domain/base/errno.js';
import { InvalidInputError, SigningKeyError } from '../../domain/base/errors.js';
import type { EnvelopeReader, Signer } from '../../domain/provenance/seal.js';
import { keyIdOf, openEnvelope, signStatement } from './envelope.js';

const PRIVATE = 'signing-key.pem';
const PUBLIC = /^[0-9a-f]{64}\.pem$/;

interface SigningKey {
  /** Which file it was read from, in which state. */
  readonly version: string;
  readonly privateKey: KeyObject;
  readonly keyId: string;
}

/** Signs with the home's key as it is at that moment: rotating it needs no restart. The key is made when there is none. */
export function homeSigner(home: string): Signer {
  // To decode a key takes ten times as long as to sign with it.
  let known: SigningKey | undefined;
  return {
    sign: (statement) => {
      known = signingKey(home, known);
      return signStatement(statement, known);
    },
  };
}

/** Opens what any of the home's keys signed. */
export function homeReader(home: string): EnvelopeReader {
  const keys = publicKeys(home);
  return { open: (envelope) => openEnvelope(envelope, keys) };
}

/** Opens what these keys signed. @param pems public keys, PEM, one or more in each. Errors: `InvalidInputError`. */
export function readerOf(pems: readonly string[]): EnvelopeReader {
  const keys = new Map(
    pems.flatMap(pemBlocks).map((pem) => {
      const key = publicKeyOf(pem);
      return [keyIdOf(key), key] as const;
    }),
  );
  return { open: (envelope) => openEnvelope(envelope, keys) };
}

/** A new key signs from now on; the public keys of the earlier ones stay. Returns its id. */
export function rotateKey(home: string): string {
  const { pem, keyId } = newKey(home);
  put(path.join(directory(home), PRIVATE), pem, renameSync);
  return keyId;
}

/** The public keys that ever signed here, PEM by id. Empty before the first signature. */
export function publicPems(home: string): ReadonlyMap<string, string> {
  const names = exists(publicDirectory(home)) ? readdirSync(publicDirectory(home)) : [];
  return new Map(
    names
      .filter((name) => PUBLIC.test(name))
      .sort()
      .map((name) => [
        name.slice(0, -'.pem'.length),
        readFileSync(path.join(publicDirectory(home), name), 'utf8'),
      ]),
  );
}

/** Id of the key that signs now; `undefined` before the first signature. */
export function currentKeyId(home: string): string | undefined {
  return exists(path.join(directory(home), PRIVATE))
    ? readKey(path.join(directory(home), PRIVATE)).keyId
    : undefined;
}

function publicKeys(home: string): ReadonlyMap<string, KeyObject> {
  return new Map([...publicPems(home)].map(([id, pem]) => [id, publicKeyOf(pem)]));
}

/** Each key of a file: Node reads the first of them alone. A file without any is told of as one that is none. */
function pemBlocks(text: string): readonly string[] {
  const blocks = text.split(/(?=-----BEGIN )/);
  return blocks.length === 1 ? blocks : blocks.filter((block) => block.startsWith('-----BEGIN '));
}

function publicKeyOf(pem: string): KeyObject {
  try {
    // A private key would be taken, too: its public half is made of it.
    if (!pem.includes('PRIVATE KEY')) {
      const key = createPublicKey(pem);
      if (key.asymmetricKeyType === 'ed25519') return key;
    }
  } catch {
    // Said below.
  }
  throw new InvalidInputError(
    'not a public Ed25519 key in PEM: bot-bottle provenance key prints the right one',
  );
}

function signingKey(home: string, known: SigningKey | undefined): SigningKey {
  const file = path.join(directory(home), PRIVATE);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (known !== undefined && stats !== undefined && versionOf(stats) === known.version) return known;
  if (stats === undefined) {
    put(file, newKey(home).pem, linkUnlessThere);
  }
  return readKey(file);
}

function readKey(file: string): SigningKey {
  const stats = statSync(file);
  if ((stats.mode & 0o077) !== 0)
    throw new SigningKeyError(`${file} can be read by others: chmod 600 ${file}`);
  const pem = readFileSync(file, 'utf8');
  try {
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType === 'ed25519')
      return { version: versionOf(stats), privateKey, keyId: keyIdOf(createPublicKey(privateKey)) };
  } catch {
    // Said below: the library's words may quote the key.
  }
  throw new SigningKeyError(
    `${file} is no private Ed25519 key: restore it from a backup, or run bot-bottle provenance rotate-key`,
  );
}

/** Another one as soon as the file is replaced, written, or its mode changed. */
function versionOf({ ino, ctimeMs }: Stats): string {
  return `${String(ino)} ${String(ctimeMs)}`;
}

/** The public half is on the disk before anything is signed with the other. */
function newKey(home: string): { readonly pem: string; readonly keyId: string } {
  mkdirSync(publicDirectory(home), { recursive: true, mode: 0o700 });
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const keyId = keyIdOf(publicKey);
  const file = path.join(publicDirectory(home), `${keyId}.pem`);
  put(file, publicKey.export({ type: 'spki', format: 'pem' }), renameSync);
  return { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, keyId };
}

/**
 * A file that nobody else reads, as all of the home: whole on the disk, or not there.
 * @param name gives it its name, once it is written under another one
 */
function put(file: string, content: string | Buffer, name: (from: string, to: string) => void): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true });
    name(temporary, file);
  } finally {
    // A full disk must not leave half a key for each try.
    rmSync(temporary, { force: true });
  }
  syncDirectory(path.dirname(file));
}

/** Of two that do this at once the first one's stays. */
function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function syncDirectory(name: string): void {
  const fd = openSync(name, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function directory(home: string): string {
  return path.join(home, 'provenance');
}

function publicDirectory(home: string): string {
  return path.join(directory(home), 'public');
}
