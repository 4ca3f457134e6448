import { randomInt } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHome } from './directories.js';
import { RunFilesError } from './file-error.js';
import { errnoOf, unlessMissing } from '../../domain/base/errno.js';
import { syncDirectory, writeWhole } from '../system/write-file.js';

const HOST_ID = /^[a-z0-9]{12}$/;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * The host's name in task queues: made once into `$BOT_BOTTLE_HOME/host-id`, never the hostname, so that runs stay with
 * their disk. Of several processes that ask at once all get the same.
 * Errors: `RunFilesError` when the file holds something else.
 */
export async function hostId(home: string): Promise<string> {
  await ensureHome(home);
  const file = join(home, 'host-id');
  const known = await unlessMissing(readFile(file, 'utf8'));
  if (known !== undefined) return checked(known, file);
  const fresh = Array.from({ length: 12 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  // A link is made whole or not at all, and never over another.
  const candidate = `${file}.${fresh}`;
  await writeWhole(candidate, `${fresh}\n`, { mode: 0o600, durable: true });
  try {
    await link(candidate, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(candidate, { force: true });
  }
  await syncDirectory(home);
  return checked(await readFile(file, 'utf8'), file);
}

function checked(content: string, file: string): string {
  const id = content.trim();
  if (HOST_ID.test(id)) return id;
  throw new RunFilesError(
    `${file} holds no host id (12 of a-z and 0-9); restore it, or remove it if no run is left`,
    false,
  );
}
