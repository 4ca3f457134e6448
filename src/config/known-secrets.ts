import { readdirSync } from 'node:fs';
import path from 'node:path';
import { publishTokenFile, type Config } from '../config.js';
import type { KnownSecret } from '../domain/secret-search.js';
import { inspectSecret } from './secrets.js';

type Files = Pick<
  Config,
  'BOT_BOTTLE_HOME' | 'FORGE_TOKEN_FILE' | 'FORGE_PUBLISH_TOKEN_FILE' | 'WEBHOOK_SECRET_FILE'
>;

/** Every secret that this machine holds: those the configuration leads to, and all of `secrets/`, as they are now. */
export function knownSecrets(config: Files): KnownSecret[] {
  const configured = [config.FORGE_TOKEN_FILE, publishTokenFile(config), config.WEBHOOK_SECRET_FILE];
  const directory = path.join(config.BOT_BOTTLE_HOME, 'secrets');
  const files = new Set([...configured, ...namesIn(directory).map((name) => path.join(directory, name))]);
  return [...files].flatMap((file) => {
    const state = inspectSecret(file);
    // One that can't be used can't be read by anybody else either.
    return state.kind === 'set' ? [{ name: path.basename(file), value: state.value }] : [];
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
