import { InvalidInputError } from '../../domain/base/errors.js';
import type { RepositoryFile } from '../../domain/forge/forge.js';
import { isCommitId } from '../../domain/forge/issue.js';
import { asList, asObject, integerOf, textOf, textOrEmpty } from './decode.js';
import type { GiteaRepo } from './gitea-repo.js';

/** The list of commits without a branch is the default branch's. 409: the repository is empty. */
export async function readDefaultHead(repo: GiteaRepo): Promise<string | undefined> {
  const response = await repo.client.request({
    method: 'GET',
    path: repo.path('commits'),
    query: { limit: 1, stat: 'false', verification: 'false', files: 'false' },
    accept: [409],
  });
  const [head] = response.status === 409 ? [] : asList(response.json(), 'commits');
  return head === undefined ? undefined : textOf(head, 'sha');
}

export async function readFile(
  repo: GiteaRepo,
  path: string,
  commit: string,
  maxBytes: number,
): Promise<RepositoryFile> {
  const response = await repo.client.request({
    method: 'GET',
    path: repo.path('contents', ...fileAddress(path, commit)),
    query: { ref: commit },
    accept: [404],
  });
  return response.status === 404 ? { kind: 'none' } : toFile(response.json(), maxBytes);
}

/** The parts of a path below the repository's root. Errors: `InvalidInputError` for one that is none, or no commit. */
function fileAddress(path: string, commit: string): readonly string[] {
  const segments = path.split('/');
  const odd = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  if (odd || /\p{Cc}/u.test(path))
    throw new InvalidInputError(`${JSON.stringify(path)} is no path of a repository`);
  if (!isCommitId(commit)) throw new InvalidInputError(`${JSON.stringify(commit)} is no id of a commit`);
  return segments;
}

/** Answer of the contents API. Errors: `UnexpectedShapeError`. */
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
