import type { RepositoryFile } from '../../domain/forge.js';
import { asList, textOf } from '../forge-http/decode.js';
import { fileAddress, toFile } from '../forge-http/file-content.js';
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
