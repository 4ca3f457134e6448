/** A server's directory with accounts in it, made once on this machine: a start that makes it costs three times as much. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory, giteaBinary } from './binary.js';
import { GiteaProcess } from './gitea-process.js';

export type Passwords = Readonly<Record<'admin' | 'bot' | 'alice' | 'mallory', string>>;

/** What decides what is in it, beside the program. */
const MADE_BY = ['start-gitea.ts', 'app-ini.ts'];
const PASSWORDS = 'passwords.json';

/**
 * Puts a copy into `dir`, which has no configuration then.
 * @param furnish starts the server where there is nothing to copy yet, and makes the accounts
 */
export async function copyFurnished(
  dir: string,
  furnish: (server: GiteaProcess) => Promise<Passwords>,
): Promise<Passwords> {
  const kept = join(cacheDirectory(), `furnished-gitea-${await nameOfContent()}`);
  if (!existsSync(kept)) await make(kept, furnish);
  await cp(kept, dir, { recursive: true });
  const passwords = JSON.parse(await readFile(join(dir, PASSWORDS), 'utf8')) as Passwords;
  await rm(join(dir, PASSWORDS));
  return passwords;
}

async function nameOfContent(): Promise<string> {
  const { path } = await giteaBinary();
  const { size, mtimeMs } = await stat(path);
  const hash = createHash('sha256').update(JSON.stringify([path, size, mtimeMs]));
  for (const name of MADE_BY) hash.update(await readFile(new URL(name, import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}

async function make(kept: string, furnish: (server: GiteaProcess) => Promise<Passwords>): Promise<void> {
  await mkdir(cacheDirectory(), { recursive: true });
  const server = await GiteaProcess.prepare(await mkdtemp(`${kept}.`), 0);
  try {
    await writeFile(join(server.dir, PASSWORDS), JSON.stringify(await furnish(server)), { mode: 0o600 });
    await server.stop();
    for (const own of ['app.ini', 'log']) await rm(join(server.dir, own), { recursive: true });
    await rename(server.dir, kept).catch((error: unknown) => {
      // Another process was first.
      if (!existsSync(kept)) throw error;
    });
  } finally {
    await server.remove();
  }
}
