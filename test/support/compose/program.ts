import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What `script/bootstrap --only compose` found or brought; it does what `docker compose` does. */
export function dockerCompose(): string {
  const cache = process.env['BOT_BOTTLE_CACHE'] ?? join(homedir(), '.cache', 'bot-bottle');
  const path = join(cache, 'bin', 'docker-compose');
  if (!existsSync(path)) throw new Error(`${path} is missing: run script/bootstrap --only compose`);
  return path;
}
