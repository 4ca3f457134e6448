import { InvalidInputError } from '../../domain/base/errors.js';
import { isForgeName, isOwnerName } from '../../domain/forge/issue.js';
import type { ForgeUser, RepoRef } from '../../domain/forge/issue.js';
import type { GiteaClient, PathSegment } from './gitea-client.js';
import { excerpt } from './http/excerpt.js';
import { toUser } from './mapping.js';

/** What every operation on a repository needs. */
export interface GiteaRepo {
  readonly client: GiteaClient;
  /** `owner/repo` */
  readonly name: string;
  /** Path below `/repos/{owner}/{repo}`. */
  path(...segments: readonly PathSegment[]): readonly PathSegment[];
  /** The token's user, asked once. */
  whoAmI(): Promise<ForgeUser>;
}

/** Errors: `InvalidInputError` for an owner or name no forge allows. */
export function giteaRepo(client: GiteaClient, ref: RepoRef, whoAmI: () => Promise<ForgeUser>): GiteaRepo {
  const { owner, repo } = ref;
  if (!isOwnerName(owner) || !isForgeName(repo)) {
    throw new InvalidInputError(`${excerpt(JSON.stringify(`${owner}/${repo}`), '')} is no repository's name`);
  }
  return {
    client,
    name: `${owner}/${repo}`,
    path: (...segments) => ['repos', owner, repo, ...segments],
    whoAmI,
  };
}

/** Reads the token's user and remembers it; a failed read is not remembered. */
export function rememberedUser(client: GiteaClient): () => Promise<ForgeUser> {
  let known: Promise<ForgeUser> | undefined;
  return () => {
    known ??= client.json({ method: 'GET', path: ['user'] }).then(toUser);
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
