import { readFile } from 'node:fs/promises';
import { errnoOf } from '../../domain/base/errno.js';
import { messageOf } from '../../domain/base/message-of.js';
import { InvalidInputError } from '../../domain/base/errors.js';

/** A file that an option names, as text. @param option such as `--file` @throws InvalidInputError when it cannot be read */
export async function readGiven(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`${option}: ${whyUnread(path, error)}`, { cause: error });
  }
}

function whyUnread(path: string, error: unknown): string {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no file ${path}`;
    case 'EISDIR':
      return `${path} is a directory`;
    case 'EACCES':
      return `you may not read ${path}`;
    default:
      return messageOf(error);
  }
}
