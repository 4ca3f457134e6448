import { InvalidInputError } from '../../domain/errors.js';
import type { RepositoryFile } from '../../domain/forge.js';
import { asObject, integerOf, textOf, textOrEmpty } from './decode.js';

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The parts of a path below the repository's root. Errors: `InvalidInputError` for one that is none, or no commit. */
export function fileAddress(path: string, commit: string): readonly string[] {
  const segments = path.split('/');
  const odd = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  if (odd || /\p{Cc}/u.test(path))
    throw new InvalidInputError(`${JSON.stringify(path)} is no path of a repository`);
  if (!COMMIT.test(commit)) throw new InvalidInputError(`${JSON.stringify(commit)} is no id of a commit`);
  return segments;
}

/**
 * Answer of the contents API, which Gitea has from GitHub. A link that GitHub follows leads to a file of the same commit.
 * Errors: `UnexpectedShapeError`.
 */
export function toFile(data: unknown, maxBytes: number): RepositoryFile {
  if (Array.isArray(data)) return { kind: 'unfit', why: 'is a directory' };
  const raw = asObject(data, 'contents');
  const type = textOf(raw, 'type');
  if (type !== 'file') return { kind: 'unfit', why: `is no file but a ${type.slice(0, 20)}` };
  if (integerOf(raw, 'size') > maxBytes)
    return { kind: 'unfit', why: `is longer than ${String(maxBytes)} bytes` };
  if (textOrEmpty(raw, 'encoding') !== 'base64')
    return { kind: 'unfit', why: 'is longer than the forge hands out' };
  return { kind: 'file', content: Buffer.from(textOf(raw, 'content'), 'base64') };
}
