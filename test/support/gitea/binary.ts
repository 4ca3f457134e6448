import { access, constants, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface GiteaBinary {
  readonly path: string;
  /** Templates, options and public files, for a binary that doesn't hold them; empty when it does. */
  readonly staticRoot: string;
}

export function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'bot-bottle');
}

/** The Gitea that `script/bootstrap` brought; the environment wins over what it recorded. */
export async function giteaBinary(): Promise<GiteaBinary> {
  const cache = cacheDirectory();
  const recorded = parseEnv(await readFile(join(cache, 'env'), 'utf8').catch(() => ''));
  const path = process.env['GITEA_BIN'] ?? recorded.get('GITEA_BIN') ?? join(cache, 'bin', 'gitea');
  await access(path, constants.X_OK).catch((cause: unknown) => {
    throw new Error(`no Gitea at ${path}: run script/bootstrap`, { cause });
  });
  return { path, staticRoot: process.env['GITEA_STATIC_ROOT'] ?? recorded.get('GITEA_STATIC_ROOT') ?? '' };
}

function parseEnv(text: string): Map<string, string> {
  const pairs = text.split('\n').flatMap((line): [string, string][] => {
    const match = /^([A-Z_]+)=(.*)$/.exec(line);
    return match === null ? [] : [[match[1] ?? '', (match[2] ?? '').replace(/^"(.*)"$/, '$1')]];
  });
  return new Map(pairs);
}
