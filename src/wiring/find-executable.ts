import { accessSync, constants, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Where `script/bootstrap` puts the programs it brings. */
export function broughtPrograms(): string {
  const { BOT_BOTTLE_CACHE: given = '' } = process.env;
  return path.join(given === '' ? path.join(os.homedir(), '.cache', 'bot-bottle') : given, 'bin');
}

/** On the PATH, or in one of the other directories. */
export function findExecutable(name: string, ...others: readonly string[]): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean), ...others];
  return directories.map((directory) => path.join(directory, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A file that this user may start; a directory's x is another right. */
export function isProgram(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true && isExecutable(file);
}
