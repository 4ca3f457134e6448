import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { GitError, InvalidInputError } from '../../domain/base/errors.js';
import { LOCAL, type RepoRef } from '../../domain/forge/issue.js';
import { remoteEnvironment } from './git-environment.js';
import { runGit } from './run-git.js';
import { sha256 } from '../system/sha256.js';

const TIMEOUT_MS = 60_000;

/** The directory as a repository that runs can begin from: one mirror for each path. */
export function directoryRepository(path: string): RepoRef {
  const name = `dir-${sha256(path).slice(0, 16)}`;
  return { forge: LOCAL, owner: LOCAL, repo: name, path };
}

/**
 * What git reads as its user's configuration when it fetches from a directory: this one directory may belong to somebody
 * else, and nothing besides.
 * @param configDir where such files are kept
 */
export async function safeDirectoryFile(configDir: string, path: string): Promise<string> {
  const real = await realpath(path);
  const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  const lines = [path, real, join(real, '.git')].map((one) => `\tdirectory = ${quoted(one)}\n`);
  const file = join(configDir, `${directoryRepository(path).repo}.gitconfig`);
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  await writeFile(file, `[safe]\n${[...new Set(lines)].join('')}`, { mode: 0o600 });
  return file;
}

/**
 * Looks whether runs can begin from the directory, without changing it. Answers its branch. Errors: `InvalidInputError`
 * that says what to do.
 */
export async function readLocalSource(configDir: string, path: string): Promise<{ readonly branch: string }> {
  if (!isAbsolute(path) || /\p{Cc}/u.test(path))
    throw new InvalidInputError('--dir takes the path of a directory on this machine');
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new InvalidInputError(`there is no directory ${path}: give --dir one with a git repository`);
  const configFile = await safeDirectoryFile(configDir, path);
  const env = remoteEnvironment({ url: path, token: '', caFile: undefined, configFile });
  const args = ['ls-remote', '--symref', '--', path, 'HEAD'];
  const output = await runGit({ args, env, timeoutMs: TIMEOUT_MS });
  if (output.exitCode !== 0)
    throw new InvalidInputError(
      `${path} is no git repository that can be read: git init and a first commit make it one, or use --repo`,
      { cause: new GitError(output.stderr.slice(0, 500), false) },
    );
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(output.stdout) ?? [];
  if (branch === undefined || !/^[0-9a-f]{40}\tHEAD$/m.test(output.stdout))
    throw new InvalidInputError(
      `${path} is on no branch with a commit: check one out, or make a first commit`,
    );
  return { branch };
}
