import { ForgeHttpError } from '../../domain/errors.js';
import type { RepositoryFile } from '../../domain/forge.js';
import { asList, textOf } from '../forge-http/decode.js';
import { fileAddress, toFile } from '../forge-http/file-content.js';
import type { GithubRepo } from './github-repo.js';

/** The list of commits without a branch is the default branch's. 409: the repository is empty. */
export async function readDefaultHead({ client, name }: GithubRepo): Promise<string | undefined> {
  try {
    const { data } = await client.call((api) => api.repos.listCommits({ ...name, per_page: 1 }));
    const [head] = asList(data, 'commits');
    return head === undefined ? undefined : textOf(head, 'sha');
  } catch (error) {
    if (error instanceof ForgeHttpError && error.status === 409) return undefined;
    throw error;
  }
}

export async function readFile(
  { client, name }: GithubRepo,
  path: string,
  commit: string,
  maxBytes: number,
): Promise<RepositoryFile> {
  const address = { ...name, path: fileAddress(path, commit).join('/'), ref: commit };
  try {
    const { data } = await client.call((api) => api.repos.getContent(address));
    return toFile(data, maxBytes);
  } catch (error) {
    if (error instanceof ForgeHttpError && error.status === 404) return { kind: 'none' };
    throw error;
  }
}
