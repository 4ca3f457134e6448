/** What single values of manifests may be. */
import { parseRepoName } from '../forge/issue.js';
import type { Check } from './manifest-reader.js';
import { MANIFEST_KEY } from '../forge/trigger.js';
import { utf8Length } from '../text/untrusted-text.js';

const MIB = 1024 * 1024;
const MAX_SETUP_BYTES = 16 * 1024;
const WORD = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const SIZE = /^([1-9][0-9]{0,14})([bkmg]?)$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: MIB, g: 1024 * MIB };

export function matching(pattern: RegExp, otherwise: string): Check<string> {
  return (value) => (pattern.test(value) ? undefined : otherwise);
}

/** Reaches a command line [S3]; a leading hyphen would be an option there. */
export const word: Check<string> = matching(
  WORD,
  'has characters other than A-Z a-z 0-9 . _ / -, or begins with none of them',
);
export const manifestName: Check<string> = matching(MANIFEST_KEY, 'is not a possible name (a-z 0-9 . _ -)');
export const imageName: Check<string> = matching(
  /^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$/,
  'is not an image name',
);
export const personName: Check<string> = matching(
  /^[\p{L}\p{N}][^\p{C}<>]{0,99}$/u,
  'is not a name for commits',
);
export const mailAddress: Check<string> = matching(
  /^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,189}$/,
  'is not a mail address',
);
export const pathPattern: Check<string> = matching(/^[^\p{C}]{1,500}$/u, 'is not a path');
export const runtimeName: Check<string> = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  'is not the name of a container runtime such as runsc',
);

export function branchName(value: string): string | undefined {
  const possible = WORD.test(value) && !/\.\.|\/\/|[./]$|\.lock(?:\/|$)|\/\./.test(value);
  return possible ? undefined : 'is not a branch name';
}

/** A file beside the manifest, never a way to another directory. */
export function fileName(value: string): string | undefined {
  const possible = /^[A-Za-z0-9._-]{1,100}$/.test(value) && value !== '.' && value !== '..';
  return possible ? undefined : 'is not the name of a file beside this one (A-Z a-z 0-9 . _ -)';
}

/** Below the repository's root; git gets it as it is, so nothing in it is a pattern or an option. */
export function directory(value: string): string | undefined {
  const segments = value.replace(/\/$/, '').split('/');
  const possible = segments.every(
    (segment) => /^[A-Za-z0-9._][A-Za-z0-9._-]{0,199}$/.test(segment) && segment !== '.' && segment !== '..',
  );
  return possible ? undefined : 'is not a directory of the repository such as src/app';
}

/** Never a pattern: what may be read with the bot's rights is named one by one. */
export function repositoryName(value: string): string | undefined {
  return parseRepoName(value) ? undefined : 'is not the name of a repository such as owner/name';
}

export function script(value: string): string | undefined {
  if (value.includes('\0')) return 'has a NUL character';
  return utf8Length(value) > MAX_SETUP_BYTES
    ? `is longer than ${String(MAX_SETUP_BYTES)} bytes: put it into a dockerfile`
    : undefined;
}

/** @param least in MiB; the most is 1 TiB */
export function size(least: number): Check<string> {
  return (value) => {
    const bytes = sizeBytes(value) ?? 0;
    return bytes >= least * MIB && bytes <= 1024 * 1024 * MIB
      ? undefined
      : `must be a size like 512m or 2g, from ${String(least)}m to 1024g`;
  };
}

export function sizeBytes(value: string | undefined): number | undefined {
  const [, digits, unit] = SIZE.exec(value ?? '') ?? [];
  const factor = UNITS[unit?.toLowerCase() ?? ''];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

export function within(least: number, most: number): Check<number> {
  return (value) =>
    value >= least && value <= most ? undefined : `must be from ${String(least)} to ${String(most)}`;
}

export function wholeWithin(least: number, most: number): Check<number> {
  return (value) => (Number.isInteger(value) ? within(least, most)(value) : 'must be a whole number');
}

export function envName(value: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(value)) return 'is not a name of an environment variable';
  // The sidecar's and the entrypoint's own: never the agent's.
  return /^(?:FORGE|BOTTLE|BOT_BOTTLE)_/.test(value) ? 'is reserved' : undefined;
}

export function envEntry(key: string, value: string): string | undefined {
  const wrong = envName(key);
  if (wrong !== undefined) return wrong;
  if (/^(?:HOME|LANG|PATH)$/.test(key)) return 'is the same in every bottle: it cannot be set';
  return /[\0\r\n]/.test(value) || value.length > 4096
    ? 'must be one line of at most 4096 characters'
    : undefined;
}
