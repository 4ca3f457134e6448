import { watch, type FSWatcher } from 'node:fs';

/** For who looks now and then anyway: calls back at once where the file system tells of a change. */
export function watchQuietly(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(directory, { persistent: false }, onChange).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
