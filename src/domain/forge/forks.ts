import type { RepoRef } from './issue.js';

/** Where runs publish: to branches of the repository itself, or of a fork in the bot's account. */
export type PublishPlace = 'branch' | 'fork';

/**
 * The bot's forks, as the publisher's token sees them. Errors: `ForgeHttpError`; `InvalidInputError`, which names the
 * setting and says what to do, where no fork can be had.
 */
export interface Forks {
  /** The fork of a repository; made when there is none, and CI turned off in it each time it is found on. */
  ensure(repo: RepoRef): Promise<RepoRef>;
  /** The fork, if there is one, or a repository in whose name it would be; changes nothing. */
  look(repo: RepoRef): Promise<ForkState>;
}

export type ForkState =
  | { readonly kind: 'there'; readonly fork: RepoRef }
  | { readonly kind: 'none' }
  /** There can be none until somebody does something about it. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** Forges cut names here. */
const MAX_NAME = 100;

/** A fork's name: repositories of two owners may have the same one, and the bot's account has room for it once. */
export function forkName({ owner, repo }: RepoRef): string {
  return `${owner}-${repo}`.slice(0, MAX_NAME);
}
