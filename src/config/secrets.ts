/** Secrets are files that only their owner can read; nothing else of the configuration is secret. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import { InvalidInputError, UnusableSecretError } from '../domain/base/errors.js';
import { errnoOf } from '../domain/base/errno.js';
import { messageOf } from '../domain/base/message-of.js';
import { isSecretName } from '../domain/secret/secret-name.js';
import { ensureHome } from './home.js';

/** Shorter ones could be guessed, and could not be blanked out of a log without blanking half of it. */
export const SECRET_MIN_LENGTH = 8;
const SECRET_MAX_BYTES = 64 * 1024;

export type SecretState =
  | { readonly kind: 'set'; readonly value: string }
  | { readonly kind: 'missing' }
  /** `setAnew`: what is in the file is no secret, so another one must be set. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly setAnew?: true };

const valuesRead = new Set<string>();

/**
 * Every secret that this process has read: what it can say by mistake. One that was replaced stays, since it may still
 * be in an answer that is under way.
 */
export function secretsRead(): ReadonlySet<string> {
  return valuesRead;
}

/** One that was read in another way than by this file. */
export function rememberSecret(value: string): void {
  valuesRead.add(value);
}

/** What `read` makes of an open file that may be anything. Errors: the system's. */
export function withFile<T>(file: string, read: (fd: number, stat: Stats) => T): T {
  // O_NONBLOCK: a named pipe in the file's place must not hang who reads.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return read(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}

/** Looks at a secret's file without throwing for what an operator can put right. */
export function inspectSecret(file: string): SecretState {
  try {
    return withFile(file, (fd, stat) => {
      const unfit = whyUnfit(file, stat);
      if (unfit !== undefined) return unusable(unfit);
      const value = readFileSync(fd, 'utf8').replace(/\r?\n$/, '');
      const wrong = whyNoSecret(value);
      if (wrong !== undefined) return { ...unusable(`${file} ${wrong}`), setAnew: true };
      valuesRead.add(value);
      return { kind: 'set', value };
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { kind: 'missing' };
    if (errnoOf(error) === 'EACCES') return unusable(notReadable(file));
    if (errnoOf(error) !== undefined) return unusable(`${file} cannot be read: ${messageOf(error)}`);
    throw error;
  }
}

/** Why a secret's file cannot be used, without a look at its content; `undefined` when nothing is wrong with it. */
export function secretFileProblem(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return notReadable(file);
    throw error;
  }
  const stat = statSync(file);
  return (
    whyUnfit(file, stat) ??
    (stat.size < SECRET_MIN_LENGTH ? `${file} is shorter than ${SECRET_MIN_LENGTH} characters` : undefined)
  );
}

/**
 * The secret in a file, without the newline at its end.
 * @param setWith name for `bot-bottle secret set`, used in the error when there is none
 * @param home given where a setting may name another file than that command writes
 * @throws InvalidInputError when it is missing, readable by others, empty or short; never with its content
 */
export function readSecret(file: string, setWith: string, home?: string): string {
  const state = inspectSecret(file);
  if (state.kind === 'set') return state.value;
  const remedy = home === undefined ? setCommand(setWith) : howToSet(home, setWith, file);
  if (state.kind === 'missing') throw new UnusableSecretError(`${file} is missing: ${remedy}`);
  throw new UnusableSecretError(state.setAnew ? `${state.reason}: ${remedy}` : state.reason);
}

/** What puts the secret into `file`: the command writes `secrets/<name>` and nothing else. */
export function howToSet(home: string, name: string, file: string): string {
  return file === path.join(home, 'secrets', name)
    ? setCommand(name)
    : `write the secret to ${file}, mode 600`;
}

function setCommand(name: string): string {
  return `bot-bottle secret set ${name} < file`;
}

/**
 * Writes `secrets/<name>`, 0600, in one step: a reader sees the old or the new one.
 * @param content see `requireSecret`
 * @returns the file's path
 */
export function writeSecret(home: string, name: string, content: Uint8Array): string {
  requireSecretName(name);
  const value = requireSecret(content, name);
  return writePrivate(secretsDirectory(home), name, `${value}\n`);
}

/**
 * Answers the secret.
 * @param content as it came from standard input; one newline at its end is not part of it
 * @param setWith what follows `bot-bottle secret set`, used in the error when there is nothing in it
 * @throws InvalidInputError for what is none
 */
export function requireSecret(content: Uint8Array, setWith: string): string {
  const value = decode(content).replace(/\r?\n$/, '');
  const wrong = whyNoSecret(value);
  if (wrong === undefined) return value;
  const remedy =
    value.trim() === '' ? `: give it on standard input, bot-bottle secret set ${setWith} < file` : '';
  throw new InvalidInputError(`the secret ${wrong}; nothing was changed${remedy}`);
}

/** It is there then. */
export function secretsDirectory(home: string): string {
  ensureHome(home);
  const directory = path.join(home, 'secrets');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return directory;
}

/** Answers the name. @throws InvalidInputError for what is none */
export function requireSecretName(name: string): string {
  if (isSecretName(name)) return name;
  throw new InvalidInputError('a secret’s name has small letters, digits and dashes, such as forge-token');
}

/** A file of mode 0600, replaced in one step. @returns its path */
export function writePrivate(directory: string, name: string, text: string): string {
  const file = path.join(directory, name);
  const temporary = path.join(directory, `.${name}.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(directory);
  return file;
}

function decode(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (cause) {
    throw new InvalidInputError('the secret is not text; nothing was changed', { cause });
  }
}

/** Why a file of this kind may not hold secrets; `undefined` when it may. */
export function whyUnfit(file: string, stat: Stats): string | undefined {
  if (!stat.isFile()) return `${file} is not a regular file`;
  if ((stat.mode & 0o077) !== 0) return `${file} can be read by others: chmod 600 ${file}`;
  return stat.size > SECRET_MAX_BYTES ? `${file} is too large for a secret` : undefined;
}

function notReadable(file: string): string {
  return `${file} cannot be read by this user: it must be yours, mode 600`;
}

function whyNoSecret(value: string): string | undefined {
  if (value.trim() === '') return 'is empty';
  if (/\p{Cc}/u.test(value)) return 'has control characters or more than one line';
  if (value.length < SECRET_MIN_LENGTH) return `is shorter than ${SECRET_MIN_LENGTH} characters`;
  return undefined;
}

function syncDirectory(directory: string): void {
  const fd = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function unusable(reason: string): Extract<SecretState, { readonly kind: 'unusable' }> {
  return { kind: 'unusable', reason };
}
