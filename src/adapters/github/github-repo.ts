import { InvalidInputError } from '../../domain/errors.js';
import { isForgeName } from '../../domain/issue.js';
import type { ForgeUser, RepoRef } from '../../domain/issue.js';
import { excerpt } from '../forge-http/excerpt.js';
import type { GithubClient } from './github-client.js';
import { toUser } from '../forge-http/mapping.js';

/** What every operation on a repository needs. */
export interface GithubRepo {
  readonly client: GithubClient;
  /** The two parameters every call on the repository has. */
  readonly name: { readonly owner: string; readonly repo: string };
  /** The token's user, asked once. */
  whoAmI(): Promise<ForgeUser>;
}

/** Errors: `InvalidInputError` for an owner or name no forge allows. */
export function githubRepo(client: GithubClient, ref: RepoRef, whoAmI: () => Promise<ForgeUser>): GithubRepo {
  const { owner, repo } = ref;
  if (!isForgeName(owner) || !isForgeName(repo)) {
    throw new InvalidInputError(`${excerpt(JSON.stringify(`${owner}/${repo}`), '')} is no repository's name`);
  }
  return { client, name: { owner, repo }, whoAmI };
}

/** Reads the token's user and remembers it; a failed read is not remembered. */
export function rememberedUser(client: GithubClient): () => Promise<ForgeUser> {
  let known: Promise<ForgeUser> | undefined;
  return () => {
    known ??= client.call((api) => api.users.getAuthenticated()).then(({ data }) => toUser(data));
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
