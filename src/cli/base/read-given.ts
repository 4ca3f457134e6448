import { readFile } from 'node:fs/promises';
import { messageOf } from '../../domain/base/message-of.js';
import { InvalidInputError } from '../../domain/base/errors.js';

/** A file that an option names, as text. @param option such as `--file` @throws InvalidInputError when it cannot be read */
export async function readGiven(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new InvalidInputError(`${option}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
