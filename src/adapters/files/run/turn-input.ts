import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { TurnInput } from '../../../domain/run/run-files.js';
import { writeWhole } from '../../system/write-file.js';

/** Written into the same directory by the git adapter, as are the bundles of submodules. */
const REFS_BUNDLE = 'refs.bundle';
const LAUNCH_FILES = 'files';
const BOUNDARY = 'shallow';
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The files of a turn as the container's entrypoint reads them. The directory stays the same, because a bind mount
 * holds on to it; stale files go. Not synced: whoever starts the container writes them first.
 */
export async function writeTurnInputFiles(directory: string, input: TurnInput): Promise<void> {
  const files = turnInputFiles(input);
  const names = new Set(Array.from(files.keys(), (name) => name.split('/', 1)[0]));
  const pointedAt = join(directory, LAUNCH_FILES);
  await rm(pointedAt, { recursive: true, force: true });
  if (Object.keys(input.files).length > 0) await mkdir(pointedAt, { mode: 0o755 });
  const written = new Set([REFS_BUNDLE, ...input.submodules.map(({ bundle }) => bundle)]);
  for (const name of await readdir(directory)) {
    if (!written.has(name) && !names.has(name))
      await rm(join(directory, name), { recursive: true, force: true });
  }
  await Promise.all(
    Array.from(files, ([name, content]) =>
      writeWhole(join(directory, name), content, { mode: 0o644, durable: false }),
    ),
  );
}

/** The agent is gone. Where its history ends is told to the containers that read the workspace, too. */
export async function dropTurnInputFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name !== BOUNDARY) await rm(join(directory, name), { recursive: true, force: true });
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
  if (input.wantsSidecar) files.set('wants-sidecar', '');
  if (input.wantsEgress) files.set('wants-egress', '');
  if (input.resetTo !== null) files.set('reset', `${commit(input.resetTo)}\n`);
  if (input.shallow.length > 0) files.set(BOUNDARY, input.shallow.map((id) => `${commit(id)}\n`).join(''));
  if (input.sparse.length > 0)
    files.set('sparse', input.sparse.map((path) => line(path, 'directory')).join(''));
  const submodules = input.submodules.map((one) => {
    const { parent, path, name, url, bundle } = one;
    return [parent, path, name, url, commit(one.commit), bundle].map(
      (text) => `${withoutNul(text, 'submodule')}\0`,
    );
  });
  if (submodules.length > 0) files.set('submodules', submodules.flat().join(''));
  const home = Object.entries(input.home).flatMap(([path, text]) => [homePath(path), withoutNul(text, path)]);
  if (home.length > 0) files.set('home', home.map((part) => `${part}\0`).join(''));
  if (input.setup !== null) files.set('setup', input.setup);
  for (const [file, text] of Object.entries(input.files))
    files.set(`${LAUNCH_FILES}/${fileName(file)}`, text);
  return files;
}

function fileName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new InvalidInputError(`not a file's name: ${JSON.stringify(name)}`);
  return name;
}

function homePath(path: string): string {
  if (!path.split('/').every((part) => /^\.?[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part)))
    throw new InvalidInputError(`not a path below the home directory: ${JSON.stringify(path)}`);
  return path;
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
