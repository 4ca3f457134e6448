/** `$BOT_BOTTLE_HOME`: everything the product keeps. It is private, because everything of value is below it. */
import { mkdirSync, statSync, type Stats } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { InvalidInputError } from '../domain/base/errors.js';
import { remedyOfOpenHome } from '../domain/base/open-home.js';

/** Absolute path from the environment, default `~/.bot-bottle`. */
export function homePath(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['BOT_BOTTLE_HOME'];
  if (given === undefined || given === '') return path.join(os.homedir(), '.bot-bottle');
  if (!path.isAbsolute(given)) {
    throw new InvalidInputError(
      `BOT_BOTTLE_HOME must be an absolute path: export BOT_BOTTLE_HOME=${path.resolve(given)}`,
    );
  }
  return path.resolve(given);
}

/**
 * Refuses a home that somebody else could change; one that is missing is fine.
 * @throws InvalidInputError that says which command repairs it
 */
export function checkHome(home: string): 'there' | 'missing' {
  const found = statHome(home);
  if (found === undefined) return 'missing';
  if (!found.isDirectory())
    throw new InvalidInputError(`${home} is not a directory: choose another BOT_BOTTLE_HOME`);
  if ((found.mode & 0o022) !== 0) {
    const remedy = remedyOfOpenHome(home, found.mode);
    throw new InvalidInputError(`${home} can be written by others, who could then be you: ${remedy}`);
  }
  const me = process.getuid?.();
  // root may serve another user's home, as the worker in a container does.
  if (me !== undefined && me !== 0 && found.uid !== me && found.uid !== 0) {
    throw new InvalidInputError(
      `${home} belongs to user ${found.uid}, not to you: choose another BOT_BOTTLE_HOME`,
    );
  }
  return 'there';
}

function statHome(home: string): Stats | undefined {
  try {
    return statSync(home, { throwIfNoEntry: false });
  } catch (cause) {
    throw new InvalidInputError(`${home} is out of this user's reach: choose another BOT_BOTTLE_HOME`, {
      cause,
    });
  }
}

/** Makes the home, 0700, or refuses one that is not safe. */
export function ensureHome(home: string): void {
  if (checkHome(home) === 'missing') mkdirSync(home, { recursive: true, mode: 0o700 });
  checkHome(home);
}
