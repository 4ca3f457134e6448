import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ownSecretFiles, type OwnSecrets } from './load-config.js';
import type { KnownSecret } from '../domain/secret/secret-search.js';
import { isHostsFile } from './secret-binding.js';
import { errnoOf } from '../domain/base/errno.js';
import { SECRET_MIN_LENGTH, withFile } from './secrets.js';

/** What is larger is no secret of ours. */
const MAX_BYTES = 64 * 1024;

/**
 * Every secret that this machine holds: those the configuration leads to, and all of `secrets/`, as they are now. Also
 * one that is refused elsewhere, for its mode or its shape: it must not be published either.
 */
export function knownSecrets(config: OwnSecrets): KnownSecret[] {
  const directory = path.join(config.BOT_BOTTLE_HOME, 'secrets');
  const names = unlessMissing(() => readdirSync(directory)) ?? [];
  const secrets = names.filter((name) => !isHostsFile(name));
  const files = new Set([...ownSecretFiles(config), ...secrets.map((name) => path.join(directory, name))]);
  return [...files].flatMap((file) => {
    const value = contentOf(file)?.trim() ?? '';
    return value.length < SECRET_MIN_LENGTH ? [] : [{ name: path.basename(file), value }];
  });
}

/** `undefined` for what is gone, or is no file that holds a secret. Errors: of the file system, such as EACCES. */
function contentOf(file: string): string | undefined {
  return unlessMissing(() =>
    withFile(file, (fd, stat) =>
      stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(fd, 'utf8') : undefined,
    ),
  );
}

function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
