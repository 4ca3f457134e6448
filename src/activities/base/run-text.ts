import { METADATA_FILE, parseRunMetadata, type RunMetadata } from '../../domain/run/run-metadata.js';
import type { RunFiles } from '../../domain/run/run-files.js';

type Files = Pick<RunFiles, 'readFile'>;

/** A file below a run's directory, as text; `undefined` when there is none. Errors: those of `readFile`. */
export async function readText(files: Files, slug: string, path: string): Promise<string | undefined> {
  const content = await files.readFile(slug, path);
  return content === undefined ? undefined : new TextDecoder().decode(content);
}

/** The same of what this program alone writes there, as JSON: it is not checked. */
export async function readOwnJson<T>(files: Files, slug: string, path: string): Promise<T | undefined> {
  const text = await readText(files, slug, path);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Whose run it is. `undefined` also for a file that says nothing of it. */
export async function readMetadata(files: Files, slug: string): Promise<RunMetadata | undefined> {
  const text = await readText(files, slug, METADATA_FILE);
  return text === undefined ? undefined : parseRunMetadata(text);
}
