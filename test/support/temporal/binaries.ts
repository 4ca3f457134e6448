import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

function cached(name: string): string {
  const path = join(process.env['BOT_BOTTLE_CACHE'] ?? join(homedir(), '.cache', 'bot-bottle'), 'bin', name);
  if (!existsSync(path)) throw new Error(`${path} is missing: run script/bootstrap`);
  return path;
}

export const temporalCli = (): string => cached('temporal');
export const testServer = (): string => cached('temporal-test-server');
