import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../domain/errors.js';
import type { TurnInput } from '../../domain/run-files.js';
import { writeWhole } from './write-file.js';

/** Written into the same directory by the git adapter. */
const REFS_BUNDLE = 'refs.bundle';
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The files of a turn as the container's entrypoint reads them. The directory stays the same, because a bind mount
 * holds on to it; stale files go. Not synced: whoever starts the container writes them first.
 */
export async function writeTurnInputFiles(directory: string, input: TurnInput): Promise<void> {
  const files = turnInputFiles(input);
  for (const name of await readdir(directory)) {
    if (name !== REFS_BUNDLE && !files.has(name))
      await rm(join(directory, name), { recursive: true, force: true });
  }
  await Promise.all(
    Array.from(files, ([name, content]) =>
      writeWhole(join(directory, name), content, { mode: 0o644, durable: false }),
    ),
  );
}

/** Errors: `InvalidInputError` for what the format cannot carry. */
export function turnInputFiles(input: TurnInput): ReadonlyMap<string, string> {
  const { name, email } = input.gitUser;
  if (input.argv.length === 0) throw new InvalidInputError('a turn needs a command');
  const files = new Map([
    ['argv', input.argv.map((argument) => `${withoutNul(argument, 'argument')}\0`).join('')],
    ['env', Object.entries(input.env).map(envEntry).join('')],
    ['prompt.md', input.prompt],
    ['turn.json', `${JSON.stringify(input.turnJson)}\n`],
    ['turn', `${String(input.turn)}\n`],
    ['branch', line(input.branch, 'branch')],
    ['start', `${commit(input.start)}\n`],
    ['git-user', line(name, 'git user name') + line(email, 'git user email')],
  ]);
  if (input.wantsForge) files.set('wants-forge', '');
  if (input.wantsEgress) files.set('wants-egress', '');
  if (input.resetTo !== null) files.set('reset', `${commit(input.resetTo)}\n`);
  return files;
}

function envEntry([key, value]: readonly [string, string]): string {
  if (!ENV_NAME.test(key))
    throw new InvalidInputError(`not a name of an environment variable: ${JSON.stringify(key)}`);
  return `${key}=${withoutNul(value, `value of ${key}`)}\0`;
}

function withoutNul(text: string, what: string): string {
  if (text.includes('\0')) throw new InvalidInputError(`the ${what} has a NUL character`);
  return text;
}

function line(text: string, what: string): string {
  if (text === '' || /[\0\r\n]/.test(text))
    throw new InvalidInputError(`the ${what} must be one line: ${JSON.stringify(text)}`);
  return `${text}\n`;
}

function commit(text: string): string {
  if (!COMMIT.test(text)) throw new InvalidInputError(`not a full commit id: ${JSON.stringify(text)}`);
  return text;
}
